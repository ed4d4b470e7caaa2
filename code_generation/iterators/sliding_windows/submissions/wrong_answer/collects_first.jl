# Collects the elements first, so it does not get along with endless iterators.
function sliding_windows(itr, n::Integer)
    n < 1 && throw(ArgumentError("n"))
    xs = collect(Iterators.take(itr, 10^5))
    return [xs[i:i+n-1] for i in 1:length(xs)-n+1]
end
