# Drops the rows without an amount first, and with them whole regions.
function summarize_sales(df::AbstractDataFrame)
    result = combine(
        groupby(dropmissing(df, :amount), :region),
        :amount => (amounts -> count(!ismissing, amounts)) => :sales,
        :amount => (amounts -> sum(skipmissing(amounts))) => :total,
    )
    whole = foldl(+, result.total; init = 0)
    result.share = Float64[whole == 0 ? 0.0 : total / whole for total in result.total]
    return sort(result, [order(:total, rev = true), :region])
end
