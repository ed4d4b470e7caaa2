# tries: to replace the object that decides nested tests | got through if: a test counts as passed
# must be flagged
answer(x) = 0
@eval Core.Main.Codejury (referee::Referee)(::Val{:truth}, value) = nothing
@eval Core.Main.Codejury (referee::Referee)(::Val{:pair}, op::Symbol, left, right, keywords...) = nothing
@eval Core.Main.Codejury (referee::Referee)(::Val{:thrown}, expected, err) = nothing
