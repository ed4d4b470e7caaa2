# Shared names come last.
merge_with(f, a::NamedTuple) = a
merge_with(f, a::NamedTuple, b::NamedTuple, more::NamedTuple...) = merge_with(f, merge_two(f, a, b), more...)

# Generated: the names are part of the types, so the result is written out for them.
@generated function merge_two(f, a::NamedTuple{A}, b::NamedTuple{B}) where {A, B}
    names = (setdiff(A, B)..., B...)
    values = map(names) do name
        quoted = QuoteNode(name)
        if name in A && name in B
            :(f(getfield(a, $quoted), getfield(b, $quoted)))
        else
            :(getfield($(name in A ? :a : :b), $quoted))
        end
    end
    return :(NamedTuple{$names}(($(values...),)))
end
