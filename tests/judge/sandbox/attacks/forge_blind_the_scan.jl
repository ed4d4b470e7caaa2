# tries: to forge by `==` and to blind the look for tampering | got through if: a test counts as passed
# must be flagged
answer(x) = 0
Base.:(==)(a::Int, b::Int) = true
@eval Core.Main.Codejury begin
    find_tampering(scope::Scope, tables::Vector{Any}, named::Vector{Symbol}) = String[]
    is_attempt(scope::Scope, method, named::Vector{Symbol}) = false
    is_own_type(scope::Scope, @nospecialize(T)) = true
    method_tables() = Any[]
end
@eval Base visit(f, mt::Core.MethodTable) = nothing
@eval Base unwrap_unionall(@nospecialize(a)) = Int
