# Reverses the order of the names as well.
function summarize_sales(df::AbstractDataFrame)
    result = combine(
        groupby(df, :region),
        :amount => (amounts -> count(!ismissing, amounts)) => :sales,
        :amount => (amounts -> sum(skipmissing(amounts))) => :total,
    )
    whole = foldl(+, result.total; init = 0)
    result.share = Float64[whole == 0 ? 0.0 : total / whole for total in result.total]
    return sort(result, [:total, :region]; rev = true)
end
