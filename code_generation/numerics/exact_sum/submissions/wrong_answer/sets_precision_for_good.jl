# Sets the precision for the whole program.
function exact_sum(xs)
    setprecision(BigFloat, 4096)
    return Float64(foldl(+, xs; init = big(0.0)))
end
