# Builds the result from names at run time.
function merge_with(f, a::NamedTuple, b::NamedTuple)
    names = (keys(a)..., (k for k in keys(b) if !haskey(a, k))...)
    values = map(names) do k
        haskey(a, k) && haskey(b, k) ? f(a[k], b[k]) : haskey(a, k) ? a[k] : b[k]
    end
    return NamedTuple{names}(values)
end
merge_with(f, a::NamedTuple) = a
merge_with(f, a::NamedTuple, b::NamedTuple, c::NamedTuple...) = merge_with(f, merge_with(f, a, b), c...)
