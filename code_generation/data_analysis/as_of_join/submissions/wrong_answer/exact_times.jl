# A left join by symbol and time finds quotes of exactly the same time only.
function as_of_join(trades::AbstractDataFrame, quotes::AbstractDataFrame)
    for name in ("quote_time", "price")
        name in names(trades) && throw(ArgumentError("the trades already have a column $name"))
    end
    result = DataFrame(trades)
    result.row = 1:nrow(trades)
    quotes = DataFrame(symbol = quotes.symbol, time = quotes.time, quote_time = quotes.time, price = quotes.price)
    result = sort(leftjoin(result, quotes, on = [:symbol, :time]), :row)
    return select(result, Not(:row))
end
