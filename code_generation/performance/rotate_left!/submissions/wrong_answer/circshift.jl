# A copy again.
rotate_left!(v::AbstractVector, k::Int) = (isempty(v) || copyto!(v, circshift(v, -mod(k, length(v)))); v)
