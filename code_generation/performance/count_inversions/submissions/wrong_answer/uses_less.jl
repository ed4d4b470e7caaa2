# Compares with <.
count_inversions(xs::AbstractVector) = sort_and_count!(collect(xs), similar(xs, 0), 1, length(xs))

# Sorts a part of the vector by merging, and returns how many inversions it had.
function sort_and_count!(xs, buffer, from, to)
    from < to || return 0
    middle = (from + to) ÷ 2
    count = sort_and_count!(xs, buffer, from, middle) + sort_and_count!(xs, buffer, middle + 1, to)
    left = append!(empty!(buffer), @view xs[from:middle])
    i, j = 1, middle + 1
    for k in from:to
        if i > length(left) || j <= to && xs[j] < left[i]
            count += length(left) - i + 1
            xs[k] = xs[j]
            j += 1
        else
            xs[k] = left[i]
            i += 1
        end
    end
    return count
end
