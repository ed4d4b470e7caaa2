# Calculates with Int64, which wraps around.
const UNIT_BYTES = Dict(
    "" => 1, "b" => 1,
    "kb" => 1000, "mb" => 1000^2, "gb" => 1000^3, "tb" => 1000^4,
    "kib" => 1024, "mib" => 1024^2, "gib" => 1024^3, "tib" => 1024^4,
)

function parse_size(text::AbstractString)
    parts = match(r"^[ \t]*([0-9]+)(?:\.([0-9]+))?[ \t]*([A-Za-z]*)[ \t]*$", text)
    parts === nothing && throw(ArgumentError("not a size: $text"))
    unit = get(UNIT_BYTES, lowercase(parts[3]), nothing)
    unit === nothing && throw(ArgumentError("unknown unit: $(parts[3])"))
    fraction = something(parts[2], "")
    bytes, rest = divrem(parse(Int64, parts[1] * fraction) * unit, 10^length(fraction))
    iszero(rest) || throw(ArgumentError("not a whole number of bytes: $text"))
    bytes <= typemax(Int64) || throw(OverflowError("too many bytes: $text"))
    return Int64(bytes)
end
