# Rounds what is in the middle away from zero.
struct Spec
    fill::Char
    align::Char         # '\0' where the specification says nothing
    sign::Char          # '\0' where the specification says nothing
    alternate::Bool
    width::Int
    grouping::String
    precision::Int      # -1 where the specification says nothing
    type::Char          # '\0' where the specification says nothing
end

reject(why) = throw(ArgumentError(why))

function read_spec(spec::AbstractString, default_align)
    chars = collect(spec)
    next = 1
    peek() = next <= length(chars) ? chars[next] : '\0'
    function number()
        first = next
        while next <= length(chars) && '0' <= chars[next] <= '9'
            next += 1
        end
        return first == next ? nothing : parse(Int, String(chars[first:next-1]))
    end
    fill, align = ' ', '\0'
    filled = length(chars) >= 2 && chars[2] in "<>=^"
    if filled
        fill, align = chars[1], chars[2]
        next = 3
    elseif peek() in "<>=^"
        align = peek()
        next = 2
    end
    sign = '\0'
    if peek() in "+- "
        sign = peek()
        next += 1
    end
    alternate = peek() == '#'
    alternate && (next += 1)
    if !filled && peek() == '0'
        fill = '0'
        align == '\0' && default_align == '>' && (align = '=')
        next += 1
    end
    width = something(number(), 0)
    grouping = ""
    if peek() in ",_"
        grouping = string(peek())
        next += 1
        peek() in ",_" && reject("two grouping options")
    end
    precision = -1
    if peek() == '.'
        next += 1
        precision = number()
        precision === nothing && reject("no precision after the dot")
    end
    type = '\0'
    if next <= length(chars)
        type = chars[next]
        next == length(chars) || reject("malformed specification $spec")
    end
    return Spec(fill, align == '\0' ? default_align : align, sign, alternate, width, grouping, precision, type)
end

"The text between fillings, of a number in three parts; zeros that fill belong to the digits."
function assemble(s::Spec, sign, prefix, digits, rest, group = 3)
    least = s.fill == '0' && s.align == '=' ? s.width - length(sign) - length(prefix) - length(rest) : 0
    digits = isempty(s.grouping) ? lpad(digits, max(least, 0), '0') : grouped(digits, s.grouping, group, least)
    return padded(s, sign * prefix, digits * rest)
end

function grouped(digits, separator, group, least)
    text = ""
    n = 0
    remaining = collect(digits)
    while !isempty(remaining) || length(text) < least
        if n > 0 && n % group == 0
            text = separator * text
        end
        text = (isempty(remaining) ? '0' : pop!(remaining)) * text
        n += 1
    end
    return text
end

function padded(s::Spec, head, body)
    missing_chars = max(s.width - length(head) - length(body), 0)
    filling(n) = s.fill^n
    s.align == '<' && return head * body * filling(missing_chars)
    s.align == '>' && return filling(missing_chars) * head * body
    s.align == '=' && return head * filling(missing_chars) * body
    left = missing_chars ÷ 2
    return filling(left) * head * body * filling(missing_chars - left)
end

function python_format(value::AbstractString, spec::AbstractString)
    s = read_spec(spec, '<')
    s.type in ('\0', 's') || reject("unknown type for a string")
    s.sign == '\0' || reject("a sign for a string")
    s.alternate && reject("# for a string")
    isempty(s.grouping) || reject("grouping for a string")
    s.align == '=' && reject("= for a string")
    text = s.precision < 0 ? String(value) : first_chars(value, s.precision)
    return padded(s, "", text)
end
first_chars(text, n) = String(collect(Iterators.take(text, n)))

sign_text(s::Spec, negative) = negative ? "-" : s.sign in "+ " ? string(s.sign) : ""

function python_format(value::Integer, spec::AbstractString)
    isempty(spec) && return value isa Bool ? (value ? "True" : "False") : string(big(value))
    s = read_spec(spec, '>')
    s.type in "eEfFgG%" && return format_float(s, Float64(value))
    s.type in ('\0', 'b', 'c', 'd', 'n', 'o', 'x', 'X') || reject("unknown type for an integer")
    s.precision < 0 || reject("a precision for an integer")
    n = big(value)
    if s.type == 'c'
        s.sign == '\0' || reject("a sign for a character")
        s.alternate && reject("# for a character")
        isempty(s.grouping) || reject("grouping for a character")
        return padded(s, "", string(Char(n)))
    end
    base = s.type == 'b' ? 2 : s.type == 'o' ? 8 : s.type in "xX" ? 16 : 10
    s.grouping == "," && base != 10 && reject("commas for another base")
    !isempty(s.grouping) && s.type == 'n' && reject("grouping for n")
    digits = string(abs(n); base = base)
    prefix = s.alternate && base != 10 ? "0" * s.type : ""
    s.type == 'X' && (digits = uppercase(digits))
    return assemble(s, sign_text(s, n < 0), prefix, digits, "", base == 10 ? 3 : 4)
end

function python_format(value::Float64, spec::AbstractString)
    s = read_spec(spec, '>')
    s.type in ('\0', 'n', 'e', 'E', 'f', 'F', 'g', 'G', '%') || reject("unknown type for a float")
    return format_float(s, value)
end

function format_float(s::Spec, x::Float64)
    !isempty(s.grouping) && s.type == 'n' && reject("grouping for n")
    negative = signbit(x) && !isnan(x)
    percent = s.type == '%' ? "%" : ""
    s.type == '%' && (x *= 100)
    if !isfinite(x)
        text = isnan(x) ? "nan" : "inf"
        s.type in "EFG" && (text = uppercase(text))
        return assemble(s, sign_text(s, negative), "", text, percent)
    end
    whole, rest = unsigned_text(s, abs(x))
    return assemble(s, sign_text(s, negative), "", whole, rest * percent)
end

# The digits before the point, and the rest.
function unsigned_text(s::Spec, x::Float64)
    type = s.type == '\0' ? 'r' : s.type == 'n' ? 'g' : s.type == '%' ? 'f' : lowercase(s.type)
    if type == 'f'
        precision = s.precision < 0 ? 6 : s.precision
        digits = lpad(string(rounded(x, precision)), precision + 1, '0')
        whole, fraction = digits[1:end-precision], digits[end-precision+1:end]
        return whole, (isempty(fraction) && !s.alternate ? "" : "." * fraction)
    elseif type == 'e'
        precision = s.precision < 0 ? 6 : s.precision
        digits, exponent = significant(x, precision + 1)
        return scientific(digits, exponent, s)
    end
    if type == 'r' && s.precision < 0
        digits, exponent = shortest(x)
        limit = 16
    else
        n = s.precision < 0 ? 6 : max(s.precision, 1)
        digits, exponent = significant(x, n)
        limit = type == 'r' ? n - 1 : n
        s.alternate || (digits = trimmed(digits))
    end
    (exponent < -4 || exponent >= limit) && return scientific(digits, exponent, s)
    if exponent < 0
        whole, fraction = "0", "0"^(-exponent - 1) * digits
    else
        digits = rpad(digits, exponent + 1, '0')
        whole, fraction = digits[1:exponent+1], digits[exponent+2:end]
    end
    type == 'r' && isempty(fraction) && (fraction = "0")
    return whole, (isempty(fraction) && !s.alternate ? "" : "." * fraction)
end

function scientific(digits, exponent, s::Spec)
    fraction = digits[2:end]
    e = s.type in "EG" ? "E" : "e"
    power = e * (exponent < 0 ? "-" : "+") * lpad(string(abs(exponent)), 2, '0')
    return digits[1:1], (isempty(fraction) && !s.alternate ? "" : "." * fraction) * power
end

trimmed(digits) = (rest = rstrip(digits, '0'); isempty(rest) ? "0" : String(rest))

"`x * 10^places`, rounded to an integer, to the even one in the middle."
rounded(x::Float64, places) = rounded(Rational{BigInt}(x), places)
function rounded(x::Rational{BigInt}, places)
    scaled = places >= 0 ? x * big(10)^places : x // big(10)^-places
    return round(BigInt, scaled, RoundNearestTiesAway)
end

"So many significant digits of `x`, and the exponent of the first one."
function significant(x::Float64, n)
    iszero(x) && return "0"^n, 0
    exact = Rational{BigInt}(x)
    exponent = floor(Int, log10(x))
    exact < ten_to(exponent) && (exponent -= 1)
    exact >= ten_to(exponent + 1) && (exponent += 1)
    digits = string(rounded(exact, n - 1 - exponent))
    if length(digits) > n
        exponent += 1
        digits = digits[1:n]
    end
    return digits, exponent
end
ten_to(n) = n >= 0 ? big(10)^n // 1 : 1 // big(10)^-n

"The fewest digits that tell `x` from all other numbers, and the exponent of the first one."
function shortest(x::Float64)
    iszero(x) && return "0", 0
    m = match(r"^(\d+)\.(\d+)(?:e(-?\d+))?$", string(x))
    digits = lstrip(m[1] * m[2], '0')
    exponent = length(m[1]) - 1 + (m[3] === nothing ? 0 : parse(Int, m[3]))
    m[1] == "0" && (exponent -= length(m[2]) - length(lstrip(m[2], '0')) + 1)
    return trimmed(digits), exponent
end
