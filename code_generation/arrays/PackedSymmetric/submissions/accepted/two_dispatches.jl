# Decides by types which style a broadcast has, instead of looking at its arguments afterwards.
using Base.Broadcast: Broadcasted, AbstractArrayStyle, DefaultArrayStyle

Base.size(S::PackedSymmetric) = (S.n, S.n)
Base.getindex(S::PackedSymmetric, i::Int, j::Int) =
    (checkbounds(S, i, j); i <= j ? S.stored[packed_index(i, j)] : S.stored[packed_index(j, i)])
Base.setindex!(S::PackedSymmetric, x, i::Int, j::Int) =
    (checkbounds(S, i, j); S.stored[i <= j ? packed_index(i, j) : packed_index(j, i)] = x)
Base.similar(S::PackedSymmetric{T}) where {T} = PackedSymmetric{T}(undef, S.n)
Base.similar(S::PackedSymmetric, ::Type{T}) where {T} = PackedSymmetric{T}(undef, S.n)
Base.copy(S::PackedSymmetric) = PackedSymmetric(S.n, copy(S.stored))

struct Packed <: AbstractArrayStyle{2} end
Packed(::Val{N}) where {N} = Packed()
Base.BroadcastStyle(::Type{<:PackedSymmetric}) = Packed()
Base.BroadcastStyle(::Packed, ::DefaultArrayStyle{0}) = Packed()
Base.BroadcastStyle(::Packed, ::DefaultArrayStyle{1}) = DefaultArrayStyle{2}()
Base.BroadcastStyle(::Packed, ::DefaultArrayStyle{2}) = DefaultArrayStyle{2}()
Base.BroadcastStyle(::Packed, ::Broadcast.Style{Tuple}) = DefaultArrayStyle{2}()

function Base.copy(bc::Broadcasted{Packed})
    n = length(axes(bc, 1))
    values = [bc[CartesianIndex(i, j)] for j in 1:n for i in 1:j]
    return PackedSymmetric(n, values)
end

function Base.copyto!(S::PackedSymmetric, bc::Broadcasted{Packed})
    return copyto!(S, copy(bc))
end
function Base.copyto!(S::PackedSymmetric, T::PackedSymmetric)
    copyto!(S.stored, T.stored)
    return S
end

Base.map(f, S::PackedSymmetric) = broadcast(f, S)
