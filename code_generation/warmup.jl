# Makes a warm server compile the packages of Project.toml before answers come: each common verb once, on a table
# of stones that no test case has. Candidates can read this file. So it combines nothing into a task: no verb works
# on what another one made, and what a test case asks to compute is not computed here.
using DataFrames, Statistics

const STONES = DataFrame(
    mineral = ["quartz", "opal", "quartz", "topaz"],
    hardness = [7, 6, 7, 8],
    density = [2.65, 2.1, missing, 3.5],
)

# Columns and rows
nrow(STONES), ncol(STONES), size(STONES), names(STONES), propertynames(STONES), describe(STONES)
STONES.hardness, STONES[!, :density], STONES[:, :mineral], STONES[2, :hardness], STONES[1:2, [:mineral, :density]]
STONES[STONES.hardness .== 7, :], first(STONES, 2), last(STONES, 2), view(STONES, 1:2, :), copy(STONES)
foreach(row -> (row.mineral, row[:hardness]), eachrow(STONES))
foreach(column -> eltype(column), eachcol(STONES))
sprint(show, STONES), isequal(STONES, STONES), STONES == STONES, hash(STONES)

# Tables that are built
let table = DataFrame(mineral = String[], hardness = Int[], density = Float64[])
    push!(table, ("talc", 1, 2.7))
    push!(table, (mineral = "gypsum", hardness = 2, density = 2.3))
    append!(table, table)
    table[!, :soft] .= true
    table.label = string.(table.hardness)
end
vcat(STONES, STONES), hcat(STONES, STONES, makeunique = true), DataFrame(a = 1:2, b = ["x", "y"])

# The verbs, each by itself
select(STONES, :mineral, :hardness => :mohs), select(STONES, Not(:density)), rename(STONES, :density => :weight)
transform(STONES, :hardness => ByRow(abs2) => :squared), transform(STONES, :density => ByRow(ismissing) => :unknown)
filter(:hardness => isodd, STONES), filter(row -> row.hardness == 8, STONES), subset(STONES, :hardness => ByRow(isodd))
dropmissing(STONES, :density), coalesce.(STONES.density, 0.0), unique(STONES, :mineral), sort(STONES, :density)
sort(STONES, [:mineral, :density])
let groups = groupby(STONES, :mineral)
    length(groups), keys(groups), first(groups)
    combine(groups, :hardness => maximum => :hardest), combine(groups, :density => first => :any)
    combine(group -> (widest = size(group, 2),), groups), transform(groups, :hardness => median => :middle)
end
let origins = DataFrame(mineral = ["opal", "beryl"], land = ["AU", "BR"])
    innerjoin(STONES, origins, on = :mineral), leftjoin(STONES, origins, on = :mineral)
    outerjoin(STONES, origins, on = :mineral), antijoin(STONES, origins, on = :mineral)
end
