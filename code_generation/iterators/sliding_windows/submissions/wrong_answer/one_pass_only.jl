# Can be iterated only once.
function sliding_windows(itr, n::Integer)
    n >= 1 || throw(ArgumentError("n"))
    s = Iterators.Stateful(itr)
    buf = Any[]
    function nextw(_)
        while length(buf) < n
            isempty(s) && return nothing
            push!(buf, popfirst!(s))
        end
        w = identity.(buf); popfirst!(buf); w
    end
    Iterators.takewhile(x -> x !== nothing, (nextw(i) for i in Iterators.countfrom(1)))
end
