# One generated function, with nested merges for more records.
@generated function merge_with(f, a::NamedTuple{A}, b::NamedTuple{B}) where {A, B}
    parts = Expr[]
    for n in A
        push!(parts, n in B ? :($n = f(a.$n, b.$n)) : :($n = a.$n))
    end
    for n in B
        n in A || push!(parts, :($n = b.$n))
    end
    isempty(parts) && return :(NamedTuple())
    return Expr(:tuple, parts...)
end
merge_with(f, a::NamedTuple) = a
merge_with(f, a::NamedTuple, b::NamedTuple, c::NamedTuple, rest::NamedTuple...) = merge_with(f, merge_with(f, a, b), c, rest...)
