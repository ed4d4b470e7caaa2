# Uses BigFloat with its default precision, which is too small for numbers far apart.
exact_sum(xs) = Float64(foldl(+, xs; init = big(0.0)))
