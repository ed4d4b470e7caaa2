# Takes one step for each power.
using LinearAlgebra

struct PermMatrix <: AbstractMatrix{Bool}
    sources::Vector{Int}      # row i has its element in column sources[i]
    targets::Vector{Int}      # the other way round
    starts::Vector{Int}       # one row of each cycle that is longer than 1
    global function permutation(sources::Vector{Int})
        n = length(sources)
        targets = zeros(Int, n)
        for (i, k) in enumerate(sources)
            1 <= k <= n && targets[k] == 0 || throw(ArgumentError("this is no permutation of 1:$n"))
            targets[k] = i
        end
        return new(sources, targets, starts_of_cycles(sources))
    end
end

PermMatrix(p::AbstractVector{<:Integer}) = permutation(Int[k for k in p])

function starts_of_cycles(sources)
    starts, seen = Int[], falses(length(sources))
    for i in eachindex(sources)
        seen[i] && continue
        sources[i] == i || push!(starts, i)
        k = i
        while !seen[k]
            seen[k] = true
            k = sources[k]
        end
    end
    return starts
end

Base.size(P::PermMatrix) = (length(P.sources), length(P.sources))
function Base.getindex(P::PermMatrix, i::Int, j::Int)
    @boundscheck checkbounds(P, i, j)
    return P.sources[i] == j
end

Base.inv(P::PermMatrix) = permutation(copy(P.targets))
Base.adjoint(P::PermMatrix) = inv(P)
Base.transpose(P::PermMatrix) = inv(P)
Base.copy(P::PermMatrix) = permutation(copy(P.sources))
Base.one(P::PermMatrix) = permutation(collect(1:size(P, 1)))

function Base.:^(P::PermMatrix, k::Integer)
    Q = one(P)
    for _ in 1:mod(abs(k), 1000)
        Q = Q * P
    end
    return k < 0 ? inv(Q) : Q
end

# A cycle of even length is an odd permutation.
function LinearAlgebra.det(P::PermMatrix)
    fixed = count(i -> P.sources[i] == i, 1:size(P, 1))
    return iseven(size(P, 1) - fixed - length(P.starts)) ? 1 : -1
end

fit(n, m) = n == m || throw(DimensionMismatch("a permutation of $n for $m elements"))

rows_of(order, x::AbstractVector) = (fit(length(order), length(x)); eltype(x)[x[i] for i in order])
rows_of(order, A::AbstractMatrix) = (fit(length(order), size(A, 1)); eltype(A)[A[i, j] for i in order, j in axes(A, 2)])
columns_of(order, A::AbstractMatrix) = (fit(length(order), size(A, 2)); eltype(A)[A[i, j] for i in axes(A, 1), j in order])

# LinearAlgebra has methods for each of these with any other matrix, so each needs one with a permutation.
const OTHERS = [
    :AbstractMatrix, :Diagonal, :(LinearAlgebra.AbstractTriangular), :UpperTriangular, :LowerTriangular, :UnitUpperTriangular, :UnitLowerTriangular,
    :Symmetric, :Hermitian, :Tridiagonal, :SymTridiagonal, :Bidiagonal, :UpperHessenberg,
]
const WRAPPED = [:(Adjoint{<:Any,<:$T}) for T in OTHERS]
const TURNED = [:(Transpose{<:Any,<:$T}) for T in OTHERS]

Base.:*(P::PermMatrix, x::AbstractVector) = rows_of(P.sources, x)
Base.:\(P::PermMatrix, x::AbstractVector) = rows_of(P.targets, x)
for T in [OTHERS; WRAPPED; TURNED]
    @eval Base.:*(P::PermMatrix, A::$T) = rows_of(P.sources, A)
    @eval Base.:\(P::PermMatrix, A::$T) = rows_of(P.targets, A)
    @eval Base.:*(A::$T, P::PermMatrix) = columns_of(P.targets, A)
    @eval Base.:/(A::$T, P::PermMatrix) = columns_of(P.sources, A)
end
for (W, f) in ((:Adjoint, :adjoint), (:Transpose, :transpose))
    @eval Base.:*(x::$W{<:Any,<:AbstractVector}, P::PermMatrix) = $f(rows_of(P.targets, parent(x)))
    @eval Base.:/(x::$W{<:Any,<:AbstractVector}, P::PermMatrix) = $f(rows_of(P.sources, parent(x)))
    @eval Base.:*(P::PermMatrix, x::$W{<:Any,<:AbstractVector}) = rows_of(P.sources, x)
    @eval Base.:\(P::PermMatrix, x::$W{<:Any,<:AbstractVector}) = rows_of(P.targets, x)
end

Base.:*(P::PermMatrix, Q::PermMatrix) = (fit(size(P, 1), size(Q, 1)); permutation(Q.sources[P.sources]))
Base.:/(P::PermMatrix, Q::PermMatrix) = P * inv(Q)
Base.:\(P::PermMatrix, Q::PermMatrix) = inv(P) * Q

# Along the cycles; `next` tells where the element of a place comes from.
function turn!(next, starts, get, set)
    for start in starts
        first_one = get(start)
        i = start
        while next[i] != start
            set(get(next[i]), i)
            i = next[i]
        end
        set(first_one, i)
    end
end

function turn_rows!(next, starts, A)
    fit(length(next), size(A, 1))
    for j in axes(A, 2)
        turn!(next, starts, i -> A[i, j], (x, i) -> A[i, j] = x)
    end
    return A
end

function turn_columns!(next, starts, A)
    fit(length(next), size(A, 2))
    for i in axes(A, 1)
        turn!(next, starts, j -> A[i, j], (x, j) -> A[i, j] = x)
    end
    return A
end

LinearAlgebra.lmul!(P::PermMatrix, A::AbstractVecOrMat) = turn_rows!(P.sources, P.starts, A)
LinearAlgebra.ldiv!(P::PermMatrix, A::AbstractVecOrMat) = turn_rows!(P.targets, P.starts, A)
LinearAlgebra.rmul!(A::AbstractMatrix, P::PermMatrix) = turn_columns!(P.targets, P.starts, A)
LinearAlgebra.rdiv!(A::AbstractMatrix, P::PermMatrix) = turn_columns!(P.sources, P.starts, A)

function put!(Y, X, i, j, k, l, a, b)
    Y[i, j] = iszero(b) ? X[k, l] * a : X[k, l] * a + Y[i, j] * b
    return nothing
end

function mul_rows!(Y, P, X, a, b)
    fit(size(P, 1), size(X, 1))
    size(Y) == size(X) || throw(DimensionMismatch("the result has size $(size(X))"))
    for j in axes(X, 2), i in axes(X, 1)
        put!(Y, X, i, j, P.sources[i], j, a, b)
    end
    return Y
end
function mul_columns!(Y, X, P, a, b)
    fit(size(P, 1), size(X, 2))
    size(Y) == size(X) || throw(DimensionMismatch("the result has size $(size(X))"))
    for j in axes(X, 2), i in axes(X, 1)
        put!(Y, X, i, j, i, P.targets[j], a, b)
    end
    return Y
end
LinearAlgebra.mul!(y::AbstractVector, P::PermMatrix, x::AbstractVector, a::Number, b::Number) = mul_rows!(y, P, x, a, b)
LinearAlgebra.mul!(Y::AbstractMatrix, P::PermMatrix, X::AbstractMatrix, a::Number, b::Number) = mul_rows!(Y, P, X, a, b)
LinearAlgebra.mul!(Y::AbstractMatrix, X::AbstractMatrix, P::PermMatrix, a::Number, b::Number) = mul_columns!(Y, X, P, a, b)
LinearAlgebra.mul!(Y::AbstractMatrix, P::PermMatrix, Q::PermMatrix, a::Number, b::Number) = mul_rows!(Y, P, Q, a, b)
# With three arguments nothing is calculated.
LinearAlgebra.mul!(y::AbstractVector, P::PermMatrix, x::AbstractVector) = mul_rows!(y, P, x, true, false)
LinearAlgebra.mul!(Y::AbstractMatrix, P::PermMatrix, X::AbstractMatrix) = mul_rows!(Y, P, X, true, false)
LinearAlgebra.mul!(Y::AbstractMatrix, X::AbstractMatrix, P::PermMatrix) = mul_columns!(Y, X, P, true, false)
LinearAlgebra.mul!(Y::AbstractMatrix, P::PermMatrix, Q::PermMatrix) = mul_rows!(Y, P, Q, true, false)
