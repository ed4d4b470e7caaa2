# Compares only with earlier statements about the same pair.
function first_contradiction(statements::AbstractVector{Tuple{T, T, Bool}}) where {T}
    said = Dict{Set{T}, Bool}()
    for (i, (a, b, same)) in enumerate(statements)
        (isequal(a, b) && !same) && return i
        get!(said, Set([a, b]), same) == same || return i
    end
    return nothing
end
