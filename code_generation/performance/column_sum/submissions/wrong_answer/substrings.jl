# Substrings instead of strings: still vectors of them.
function column_sum(text::String, column::Int)
    column >= 1 || throw(ArgumentError("there is no column $column"))
    total = 0
    for row in eachline(IOBuffer(text))
        fields = split(row, ',')
        length(fields) >= column || continue
        field = strip(fields[column], ' ')
        isempty(field) && continue
        all(isdigit, lstrip(field, ['+', '-'])) && isdigit(field[end]) || throw(ArgumentError("not an integer: $field"))
        value = tryparse(Int, field)
        value === nothing && throw(OverflowError("too large: $field"))
        total = Base.checked_add(total, value)
    end
    return total
end
