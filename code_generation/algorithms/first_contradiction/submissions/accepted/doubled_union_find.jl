# Plain union-find over samples and their opposites.
function first_contradiction(statements::AbstractVector{Tuple{T, T, Bool}}) where {T}
    number = Dict{T, Int}()
    parent = Int[]
    function id(x)
        return get!(number, x) do
            n = length(parent)
            push!(parent, n + 1, n + 2)
            n + 1
        end
    end
    opposite(i) = isodd(i) ? i + 1 : i - 1
    function root(i)
        while parent[i] != i
            parent[i] = parent[parent[i]]
            i = parent[i]
        end
        return i
    end
    for k in eachindex(statements)
        a, b, same = statements[k]
        i, j = id(a), id(b)
        same || (j = opposite(j))
        root(i) == root(opposite(j)) && return k
        parent[root(i)] = root(j)
        parent[root(opposite(i))] = root(opposite(j))
    end
    return nothing
end
