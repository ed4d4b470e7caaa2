# From the last base to the first by recursion.
radix(n::BigInt, bases) = isempty(bases) ? [n] : push!(radix(fld(n, bases[end]), bases[1:end-1]), mod(n, bases[end]))
to_mixed_radix(n::Integer, bases) = radix(BigInt(n), BigInt[b for b in bases])
