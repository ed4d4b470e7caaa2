# Equal elements get different ranks.
function grouped_ranks(values, groups)
    labels = [groups[mod1(i, length(groups))] for i in 1:length(values)]
    ranks = zeros(length(values))
    for label in unique(labels)
        here = findall(==(label), labels)
        ranks[here] = invperm(sortperm(values[here]))
    end
    best = [label => maximum(ranks[labels .== label]) for label in unique(labels)]
    sort!(best; by = ((label, rank),) -> (-rank, label))
    return (ranks = ranks, best = best, rest = [r for (i, r) in enumerate(ranks) if i % 3 != 1])
end

# The mean of the ranks of all that are equal to v.
mean_rank(v, all) = count(<(v), all) + (count(==(v), all) + 1) / 2
