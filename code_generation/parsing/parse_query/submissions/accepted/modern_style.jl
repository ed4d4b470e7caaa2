# Cut with chopprefix and eachsplit.
# Needs: Julia 1.8
function unescape(text::AbstractString)
    bytes = codeunits(text)
    decoded = UInt8[]
    i = 1
    while i <= length(bytes)
        if bytes[i] == UInt8('%')
            digits = i + 2 <= length(bytes) ? String(bytes[i+1:i+2]) : ""
            length(digits) == 2 && all(c -> isascii(c) && isxdigit(c), digits) || throw(ArgumentError("a % without two hexadecimal digits"))
            push!(decoded, parse(UInt8, digits; base = 16))
            i += 3
        else
            push!(decoded, bytes[i] == UInt8('+') ? UInt8(' ') : bytes[i])
            i += 1
        end
    end
    result = String(decoded)
    isvalid(result) ? result : throw(ArgumentError("not UTF-8"))
end

function parse_query(query::AbstractString)
    pairs = Pair{String, String}[]
    for parameter in eachsplit(chopprefix(query, "?"), '&'; keepempty = false)
        key, value... = eachsplit(parameter, '='; limit = 2)
        push!(pairs, unescape(key) => unescape(isempty(value) ? "" : only(value)))
    end
    pairs
end
