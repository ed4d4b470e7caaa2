# Compensated summation: two numbers for the running total, and NaN from infinities.
function exact_sum(xs)
    total = 0.0
    correction = 0.0
    for x in xs
        t = total + x
        correction += abs(total) >= abs(x) ? (total - t) + x : (x - t) + total
        total = t
    end
    return total + correction
end
