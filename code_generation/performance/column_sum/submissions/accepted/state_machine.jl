# One pass with a state, and values in Int128.
function column_sum(text::String, column::Int)
    column < 1 && throw(ArgumentError("no such column"))
    total = 0
    field = 1
    state = :start           # :start, :sign, :digits, :after
    value = Int128(0)
    negative = false
    huge = false
    i = 1
    n = ncodeunits(text)
    while i <= n + 1
        b = i <= n ? codeunit(text, i) : 0x0a
        if b == 0x2c || b == 0x0a
            if field == column
                state == :sign && throw(ArgumentError("lonely sign"))
                signed = negative ? -value : value
                (huge || !(typemin(Int) <= signed <= typemax(Int))) && throw(OverflowError("too large"))
                sum = Int128(total) + signed
                typemin(Int) <= sum <= typemax(Int) || throw(OverflowError("sum too large"))
                total = Int(sum)
            end
            field = b == 0x0a ? 1 : field + 1
            state = :start
            value = Int128(0)
            negative = huge = false
        elseif field == column
            if 0x30 <= b <= 0x39
                state == :after && throw(ArgumentError("two numbers"))
                state = :digits
                value = 10 * value + (b - 0x30)
                if value > Int128(10)^20
                    huge = true
                    value = Int128(0)
                end
            elseif b == 0x20
                state == :sign && throw(ArgumentError("space after sign"))
                state == :digits && (state = :after)
            elseif (b == 0x2b || b == 0x2d) && state == :start
                negative = b == 0x2d
                state = :sign
            else
                throw(ArgumentError("not an integer"))
            end
        end
        i += 1
    end
    return total
end
