# Adds up in dictionaries, and makes the data frame at the end.
function summarize_sales(df::AbstractDataFrame)
    sales, totals = Dict{String, Int}(), Dict{String, Any}()
    for (region, amount) in zip(df.region, df.amount)
        get!(sales, region, 0)
        get!(totals, region, 0)
        ismissing(amount) && continue
        sales[region] += 1
        totals[region] += amount
    end
    regions = sort(collect(keys(totals)); by = r -> (-totals[r], r))
    whole = sum(Float64[totals[r] for r in regions])
    return DataFrame(
        region = regions,
        sales = Int[sales[r] for r in regions],
        total = [totals[r] for r in regions],
        share = Float64[whole == 0 ? 0.0 : totals[r] / whole for r in regions],
    )
end
