# Scans all quotes for every trade.
function as_of_join(trades::AbstractDataFrame, quotes::AbstractDataFrame)
    isempty(intersect(names(trades), ["quote_time", "price"])) || throw(ArgumentError("column exists"))
    times, prices = Any[], Any[]
    for i in 1:nrow(trades)
        best = 0
        for j in 1:nrow(quotes)
            quotes[j, :symbol] == trades[i, :symbol] || continue
            trades[i, :time] < quotes[j, :time] && continue
            if best == 0 || !(quotes[j, :time] < quotes[best, :time])
                best = j
            end
        end
        push!(times, best == 0 ? missing : quotes[best, :time])
        push!(prices, best == 0 ? missing : quotes[best, :price])
    end
    result = copy(trades[:, :])
    result[!, :quote_time] = times
    result[!, :price] = prices
    return result
end
