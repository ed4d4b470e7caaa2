# Groups the samples that are the same, and checks differences against these groups only.
function first_contradiction(statements::AbstractVector{Tuple{T, T, Bool}}) where {T}
    group = Dict{T, Int}()
    different = Tuple{T, T}[]
    for (i, (a, b, same)) in enumerate(statements)
        ga, gb = get!(group, a, length(group) + 1), get!(group, b, length(group) + 1)
        if same
            for (k, g) in group
                g == gb && (group[k] = ga)
            end
        else
            push!(different, (a, b))
        end
        any(d -> group[d[1]] == group[d[2]], different) && return i
    end
    return nothing
end
