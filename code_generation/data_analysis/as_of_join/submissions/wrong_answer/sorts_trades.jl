# Sorts the result by symbol and time.
function as_of_join(trades::AbstractDataFrame, quotes::AbstractDataFrame)
    for name in ("quote_time", "price")
        name in names(trades) && throw(ArgumentError("the trades already have a column $name"))
    end
    # A stable sort, so that the last of several quotes of the same time stays the last.
    rows = sortperm(quotes.time)
    by_symbol = Dict{Any, Vector{Int}}()
    for row in rows
        push!(get!(() -> Int[], by_symbol, quotes.symbol[row]), row)
    end
    valid = map(trades.symbol, trades.time) do symbol, time
        candidates = get(by_symbol, symbol, Int[])
        place = searchsortedlast(quotes.time[candidates], time)
        return place == 0 ? nothing : candidates[place]
    end
    result = DataFrame(trades)
    result.quote_time = [row === nothing ? missing : quotes.time[row] for row in valid]
    result.price = [row === nothing ? missing : quotes.price[row] for row in valid]
    return sort(result, [:symbol, :time])
end
