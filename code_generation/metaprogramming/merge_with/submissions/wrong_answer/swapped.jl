# Passes the value of b first.
merge_with(f, a::NamedTuple) = a
merge_with(f, a::NamedTuple, b::NamedTuple, more::NamedTuple...) = merge_with(f, merge_two(f, a, b), more...)

# Generated: the names are part of the types, so the result is written out for them.
@generated function merge_two(f, a::NamedTuple{A}, b::NamedTuple{B}) where {A, B}
    names = (A..., setdiff(B, A)...)
    values = map(names) do name
        quoted = QuoteNode(name)
        if name in A && name in B
            :(f(getfield(b, $quoted), getfield(a, $quoted)))
        else
            :(getfield($(name in A ? :a : :b), $quoted))
        end
    end
    return :(NamedTuple{$names}(($(values...),)))
end
