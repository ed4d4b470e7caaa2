# Packs every broadcast that has a packed matrix among its arguments, also where the result is not symmetric.
Base.size(S::PackedSymmetric) = (S.n, S.n)
Base.getindex(S::PackedSymmetric, i::Int, j::Int) = (checkbounds(S, i, j); S.stored[packed_index(minmax(i, j)...)])
Base.setindex!(S::PackedSymmetric, x, i::Int, j::Int) = (checkbounds(S, i, j); S.stored[packed_index(minmax(i, j)...)] = x)
Base.similar(S::PackedSymmetric, ::Type{T}) where {T} = PackedSymmetric{T}(undef, S.n)
Base.BroadcastStyle(::Type{<:PackedSymmetric}) = Broadcast.ArrayStyle{PackedSymmetric}()
Base.similar(bc::Broadcast.Broadcasted{Broadcast.ArrayStyle{PackedSymmetric}}, ::Type{T}) where {T} =
    PackedSymmetric{T}(undef, length(axes(bc, 1)))
Base.map(f, S::PackedSymmetric) = f.(S)
