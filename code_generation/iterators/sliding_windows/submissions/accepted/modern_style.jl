# Windows of an iterator that keeps the last elements; states are named by destructuring.
# Needs: Julia 1.7
struct Windows{I}
    itr::I
    n::Int
end

sliding_windows(itr, n::Integer) = n < 1 ? throw(ArgumentError("n must be positive")) : Windows(itr, Int(n))

Base.IteratorSize(::Type{<:Windows}) = Base.SizeUnknown()
Base.eltype(::Type{Windows{I}}) where {I} = Vector{eltype(I)}

function Base.iterate(windows::Windows, state = (; kept = eltype(windows.itr)[], rest = nothing))
    (; itr, n) = windows
    (; kept, rest) = state
    window = length(kept) == n ? kept[begin+1:end] : copy(kept)
    while length(window) < n
        next = isnothing(rest) ? iterate(itr) : iterate(itr, something(rest))
        isnothing(next) && return nothing
        element, inner = next
        push!(window, element)
        rest = Some(inner)
    end
    window, (; kept = copy(window), rest)
end
