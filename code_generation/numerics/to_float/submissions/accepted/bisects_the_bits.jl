# Finds the neighbours of the number by bisection over the bits of the floating point numbers.
const WORDS = Dict(Float16 => UInt16, Float32 => UInt32, Float64 => UInt64)

function to_float(T, x::Rational{BigInt}, mode::Symbol)
    mode in (:nearest, :down, :up, :zero) || throw(ArgumentError("unknown mode"))
    if x < 0
        mirrored = mode == :down ? :up : mode == :up ? :down : mode
        return -to_float(T, -x, mirrored)
    end
    W = WORDS[T]
    exact(bits) = Rational{BigInt}(reinterpret(T, bits))
    low, high = zero(W), reinterpret(W, T(Inf))      # low <= x < high
    while high - low > 1
        middle = low + (high - low) ÷ W(2)
        if exact(middle) <= x
            low = middle
        else
            high = middle
        end
    end
    below, above = reinterpret(T, low), reinterpret(T, high)
    (exact(low) == x || mode in (:down, :zero)) && return below
    mode == :up && return above
    # As if there were one more finite number above the largest.
    upper = isinf(above) ? 2 * exact(low) - exact(low - one(W)) : exact(high)
    middle = (exact(low) + upper) / 2
    x == middle && return iseven(low) ? below : above
    return x < middle ? below : above
end
