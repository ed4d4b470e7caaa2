# Merge sort, as Base has it.
sort_frugally(less, items) = sort(collect(items); lt = less, alg = MergeSort)
