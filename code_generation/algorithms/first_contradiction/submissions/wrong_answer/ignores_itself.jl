# Skips statements about a sample and itself.
function first_contradiction(statements::AbstractVector{Tuple{T, T, Bool}}) where {T}
    sides = Dict{T, Bool}()               # of a sample, within its group
    groups = Dict{T, Vector{T}}()         # all samples of the group of a sample
    for (i, (a, b, same)) in enumerate(statements)
        isequal(a, b) && continue
        for sample in (a, b)
            get!(sides, sample, false)
            get!(() -> T[sample], groups, sample)
        end
        fits = (sides[a] == sides[b]) == same
        if groups[a] !== groups[b]
            join_groups!(groups, sides, groups[a], groups[b], !fits)
        elseif !fits
            return i
        end
    end
    return nothing
end

function join_groups!(groups, sides, group, other, turn)
    for sample in other
        sides[sample] = sides[sample] != turn
        groups[sample] = group
    end
    append!(group, other)
end
