# Returns the sorted half and its count, with new vectors at each level.
function sorted_with_count(v)
    n = length(v)
    n <= 1 && return v, 0
    a, ca = sorted_with_count(v[1:n÷2])
    b, cb = sorted_with_count(v[n÷2+1:n])
    merged = similar(a, 0)
    total = ca + cb
    while !isempty(a) && !isempty(b)
        if isless(b[1], a[1])
            total += length(a)
            push!(merged, popfirst!(b))
        else
            push!(merged, popfirst!(a))
        end
    end
    return [merged; a; b], total
end
count_inversions(xs::AbstractVector) = sorted_with_count(collect(xs))[2]
