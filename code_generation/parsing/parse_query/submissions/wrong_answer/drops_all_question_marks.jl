# Drops every question mark at the start.
function parse_query(query::AbstractString)
    text = lstrip(query, '?')
    return Pair{String, String}[parameter(part) for part in split(text, '&'; keepempty = false)]
end

function parameter(part)
    key, value = occursin('=', part) ? split(part, '='; limit = 2) : (part, "")
    return decode(key) => decode(value)
end

function decode(text)
    input = IOBuffer(text)
    bytes = UInt8[]
    while !eof(input)
        c = read(input, UInt8)
        push!(bytes, c == UInt8('+') ? UInt8(' ') : c == UInt8('%') ? escaped_byte(read(input, 2)) : c)
    end
    decoded = String(bytes)
    isvalid(decoded) || throw(ArgumentError("not valid UTF-8: $text"))
    return decoded
end

function escaped_byte(digits)
    all(isxdigit ∘ Char, digits) && length(digits) == 2 || throw(ArgumentError("% needs two hexadecimal digits"))
    return parse(UInt8, String(digits); base = 16)
end
