# Sorts the first thousands of elements together: stable, but not lazy.
function lazy_merge(a, b; by = identity)
    return sort!(vcat(collect(Iterators.take(a, 5000)), collect(Iterators.take(b, 5000))); by = by)
end
