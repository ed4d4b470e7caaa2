# Cuts every busy interval out of the pieces that are left.
function free_slots(busy::AbstractVector{Tuple{T, T}}, window::Tuple{T, T}; shortest = nothing) where {T}
    any(i -> i[1] > i[2], busy) && throw(ArgumentError("an interval ends before it starts"))
    window[1] > window[2] && throw(ArgumentError("the window ends before it starts"))
    pieces = Tuple{T, T}[window]
    for (s, e) in busy
        s == e && continue
        left = Tuple{T, T}[]
        for (a, b) in pieces
            if e <= a || b <= s
                push!(left, (a, b))
            else
                push!(left, (a, s), (e, b))
            end
        end
        pieces = left
    end
    pieces = [p for p in pieces if p[1] < p[2]]
    shortest === nothing || (pieces = [p for p in pieces if !(p[2] - p[1] < shortest)])
    return pieces
end
