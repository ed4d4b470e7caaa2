# The methods of a matrix without any broadcasting: results are ordinary matrices.
Base.size(S::PackedSymmetric) = (S.n, S.n)
Base.getindex(S::PackedSymmetric, i::Int, j::Int) = (checkbounds(S, i, j); S.stored[packed_index(minmax(i, j)...)])
Base.setindex!(S::PackedSymmetric, x, i::Int, j::Int) = (checkbounds(S, i, j); S.stored[packed_index(minmax(i, j)...)] = x)
Base.similar(S::PackedSymmetric, ::Type{T}) where {T} = PackedSymmetric{T}(undef, S.n)
Base.similar(S::PackedSymmetric{T}) where {T} = similar(S, T)
