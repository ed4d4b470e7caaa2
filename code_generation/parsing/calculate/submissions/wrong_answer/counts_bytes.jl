# Positions are byte indices.
struct CalcError <: Exception
    position::Int
end

mutable struct Scanner
    chars::Vector{Char}
    position::Int
end

# The character at the position, or nothing at the end.
current(s) = get(s.chars, s.position, nothing)

function skip_spaces!(s)
    while s.position <= length(s.chars) && isspace(current(s))
        s.position += 1
    end
end

# The next character if it is one of the symbols, or nothing.
function accept!(s, symbols...)
    skip_spaces!(s)
    c = current(s)
    c in symbols || return nothing
    s.position += 1
    return c
end

# The tree: a number, or a tuple of a function and its operands.
function expression!(s)
    left = term!(s)
    while (symbol = accept!(s, '+', '-')) !== nothing
        left = (symbol == '+' ? (+) : (-), left, term!(s))
    end
    return left
end

function term!(s)
    left = signed!(s)
    while (symbol = accept!(s, '*', '×', '/', '÷')) !== nothing
        left = (symbol in ('*', '×') ? (*) : divide, left, signed!(s))
    end
    return left
end

function signed!(s)
    sign = accept!(s, '+', '-')
    sign === nothing && return power!(s)
    return (sign == '+' ? (+) : (-), signed!(s))
end

function power!(s)
    base = operand!(s)
    return accept!(s, '^') === nothing ? base : (power, base, signed!(s))
end

function operand!(s)
    accept!(s, '(') === nothing && return number!(s)
    inner = expression!(s)
    accept!(s, ')') === nothing && throw(CalcError(s.position))
    return inner
end

function number!(s)
    whole = digits_of!(s)
    current(s) == '.' || return parse(BigInt, whole) // 1
    s.position += 1
    fraction = digits_of!(s)
    return parse(BigInt, whole * fraction) // big(10)^length(fraction)
end

function digits_of!(s)
    start = s.position
    while s.position <= length(s.chars) && isdigit(current(s))
        s.position += 1
    end
    s.position > start || throw(CalcError(s.position))
    return String(s.chars[start:s.position-1])
end

divide(a, b) = iszero(b) ? throw(DivideError()) : a // b

function power(a, b)
    isinteger(b) || throw(DomainError(b, "the exponent must be a whole number"))
    iszero(a) && b < 0 && throw(DivideError())
    return a^numerator(b)
end

evaluate(number) = number
evaluate(node::Tuple) = first(node)(map(evaluate, Base.tail(node))...)

function calculate(text::AbstractString)
    chars = collect(text)
    s = Scanner(chars, 1)
    try
        tree = expression!(s)
        skip_spaces!(s)
        current(s) === nothing || throw(CalcError(s.position))
        return evaluate(tree)
    catch err
        err isa CalcError || rethrow()
        throw(CalcError(1 + ncodeunits(String(chars[1:err.position-1]))))
    end
end
