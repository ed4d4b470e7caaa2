# Adds whole and fraction as rational numbers, and leaves the overflow to the conversion.
function parse_size(text::AbstractString)
    s = strip(text, [' ', '\t'])
    i = findfirst(c -> !(c in "0123456789."), s)
    number, unit = i === nothing ? (s, "") : (s[1:prevind(s, i)], strip(s[i:end], [' ', '\t']))
    bad() = throw(ArgumentError("bad size"))
    pieces = split(number, '.')
    (length(pieces) <= 2 && all(!isempty, pieces)) || bad()
    all(c -> isascii(c), unit) || bad()
    u = lowercase(unit)
    k = findfirst(isequal(u), ["b", "kb", "mb", "gb", "tb"])
    j = findfirst(isequal(u), ["b", "kib", "mib", "gib", "tib"])
    factor = u == "" ? big(1) : k !== nothing ? big(1000)^(k - 1) : j !== nothing ? big(1024)^(j - 1) : bad()
    value = parse(BigInt, pieces[1]) // 1
    length(pieces) == 2 && (value += parse(BigInt, pieces[2]) // big(10)^length(pieces[2]))
    value *= factor
    isinteger(value) || bad()
    value > typemax(Int64) && throw(OverflowError("too large"))
    return Int64(value)
end
