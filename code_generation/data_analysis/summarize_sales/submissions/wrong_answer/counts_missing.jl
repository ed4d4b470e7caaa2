# Counts all rows of a region.
function summarize_sales(df::AbstractDataFrame)
    result = combine(
        groupby(df, :region),
        :amount => length => :sales,
        :amount => (amounts -> sum(skipmissing(amounts))) => :total,
    )
    whole = foldl(+, result.total; init = 0)
    result.share = Float64[whole == 0 ? 0.0 : total / whole for total in result.total]
    return sort(result, [order(:total, rev = true), :region])
end
