# Upper and lower case make a difference.
const UNIT_BYTES = Dict(
    "" => 1, "B" => 1,
    "kB" => 1000, "MB" => 1000^2, "GB" => 1000^3, "TB" => 1000^4,
    "KiB" => 1024, "MiB" => 1024^2, "GiB" => 1024^3, "TiB" => 1024^4,
)

function parse_size(text::AbstractString)
    parts = match(r"^[ \t]*([0-9]+)(?:\.([0-9]+))?[ \t]*([A-Za-z]*)[ \t]*$", text)
    parts === nothing && throw(ArgumentError("not a size: $text"))
    unit = get(UNIT_BYTES, parts[3], nothing)
    unit === nothing && throw(ArgumentError("unknown unit: $(parts[3])"))
    fraction = something(parts[2], "")
    bytes, rest = divrem(parse(BigInt, parts[1] * fraction) * unit, big(10)^length(fraction))
    iszero(rest) || throw(ArgumentError("not a whole number of bytes: $text"))
    bytes <= typemax(Int64) || throw(OverflowError("too many bytes: $text"))
    return Int64(bytes)
end
