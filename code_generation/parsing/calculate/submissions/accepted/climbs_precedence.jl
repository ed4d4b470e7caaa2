# Cuts the text into tokens, climbs by precedence, and returns closures that are called at the end.
struct CalcError <: Exception
    position::Int
end
const BINDING = Dict('+' => 1, '-' => 1, '*' => 2, '×' => 2, '/' => 2, '÷' => 2, '^' => 4)
function tokens_of(text)
    chars = collect(text)
    out = Tuple{Any, Int}[]
    i = 1
    while i <= length(chars)
        c = chars[i]
        if isspace(c)
            i += 1
        elseif isdigit(c)
            m = match(r"^[0-9]+(\.[0-9]+)?", String(chars[i:end]))
            n = length(m.match)
            w = split(m.match, '.')
            value = length(w) == 1 ? parse(BigInt, w[1]) // 1 : parse(BigInt, w[1]) // 1 + parse(BigInt, w[2]) // big(10)^length(w[2])
            push!(out, (value, i))
            i += n
            if length(w) == 1 && i <= length(chars) && chars[i] == '.'
                push!(out, (:broken, i + 1))
                i = length(chars) + 1
            end
        elseif haskey(BINDING, c) || c == '(' || c == ')'
            push!(out, (c, i))
            i += 1
        else
            push!(out, (:broken, i))
            i = length(chars) + 1
        end
    end
    push!(out, (:end, length(chars) + 1))
    return out
end
function combine(c, a, b)
    c == '+' && return () -> a() + b()
    c == '-' && return () -> a() - b()
    (c == '*' || c == '×') && return () -> a() * b()
    (c == '/' || c == '÷') && return () -> over(a(), b())
    return () -> raise(a(), b())
end
over(x, y) = y == 0 ? throw(DivideError()) : x // y
function raise(x, y)
    denominator(y) == 1 || throw(DomainError(y))
    y >= 0 && return x^numerator(y)
    return over(one(x), x^(-numerator(y)))
end
function climb(ts, level)
    t, at = ts[1]
    if t isa Rational
        popfirst!(ts)
        left = () -> t
    elseif t == '+' || t == '-'
        popfirst!(ts)
        inner = climb(ts, 3)
        left = t == '+' ? inner : () -> -inner()
    elseif t == '('
        popfirst!(ts)
        left = climb(ts, 1)
        ts[1][1] == ')' || throw(CalcError(ts[1][2]))
        popfirst!(ts)
    else
        throw(CalcError(at))
    end
    while ts[1][1] isa Char && get(BINDING, ts[1][1], 0) >= level
        c = popfirst!(ts)[1]
        right = climb(ts, c == '^' ? 3 : BINDING[c] + 1)
        left = combine(c, left, right)
    end
    return left
end
function calculate(text::AbstractString)
    ts = tokens_of(text)
    result = climb(ts, 1)
    ts[1][1] == :end || throw(CalcError(ts[1][2]))
    return result()
end
