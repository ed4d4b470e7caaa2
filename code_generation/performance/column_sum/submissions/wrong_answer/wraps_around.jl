# The arithmetic is not checked.
function column_sum(text::String, column::Int)
    column >= 1 || throw(ArgumentError("there is no column $column"))
    total, field, start = 0, 1, 1
    # One byte beyond the end stands for the end of the last row.
    for i in 1:ncodeunits(text)+1
        byte = i > ncodeunits(text) ? UInt8('\n') : codeunit(text, i)
        byte == UInt8(',') || byte == UInt8('\n') || continue
        if field == column
            total = Base.checked_add(total, field_value(text, start, i - 1))
        end
        field = byte == UInt8('\n') ? 1 : field + 1
        start = i + 1
    end
    return total
end

# The integer in the bytes from the one position to the other; an empty field counts as 0.
function field_value(text, from, to)
    while from <= to && codeunit(text, from) == UInt8(' ')
        from += 1
    end
    while from <= to && codeunit(text, to) == UInt8(' ')
        to -= 1
    end
    from > to && return 0
    sign = codeunit(text, from)
    from += sign == UInt8('+') || sign == UInt8('-')
    check_digits(text, from, to)
    # Downwards, because there is one more negative number than positive ones.
    value = 0
    for i in from:to
        value = value * 10 - Int(codeunit(text, i) - UInt8('0'))
    end
    return sign == UInt8('-') ? value : Base.checked_neg(value)
end

function check_digits(text, from, to)
    from <= to || throw(ArgumentError("a sign without digits"))
    for i in from:to
        UInt8('0') <= codeunit(text, i) <= UInt8('9') || throw(ArgumentError("not an integer"))
    end
end
