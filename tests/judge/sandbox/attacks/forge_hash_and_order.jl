# tries: to redefine hash, isequal, isless, in and isapprox for numbers | got through if: a test counts as passed
# must be flagged
Base.hash(x::Int, h::UInt) = h
Base.isequal(a::Int, b::Int) = true
Base.isless(a::Int, b::Int) = false
Base.in(a::Int, b::Int) = true
Base.isapprox(a::Int, b::Int; options...) = true
answer(x) = 0
