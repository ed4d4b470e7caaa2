# Divides by a sum of 0.
function summarize_sales(df::AbstractDataFrame)
    result = combine(
        groupby(df, :region),
        :amount => (amounts -> count(!ismissing, amounts)) => :sales,
        :amount => (amounts -> sum(skipmissing(amounts))) => :total,
    )
    whole = foldl(+, result.total; init = 0)
    result.share = Float64[total / whole for total in result.total]
    return sort(result, [order(:total, rev = true), :region])
end
