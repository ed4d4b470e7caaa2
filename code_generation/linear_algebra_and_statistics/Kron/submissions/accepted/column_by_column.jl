# Products with the columns of the vector as a matrix, one by one, and solutions by the inverse order of the factors.
using LinearAlgebra

struct Kron{T,P<:AbstractMatrix,Q<:AbstractMatrix} <: AbstractMatrix{T}
    A::P
    B::Q
end

Kron(A::P, B::Q) where {P<:AbstractMatrix,Q<:AbstractMatrix} = Kron{typeof(zero(eltype(A)) * zero(eltype(B))),P,Q}(A, B)

square(A) = size(A, 1) == size(A, 2)
square_factors(K) = square(K.A) && square(K.B)
check_square(K) = LinearAlgebra.checksquare(K)

Base.size(K::Kron) = (size(K.A, 1) * size(K.B, 1), size(K.A, 2) * size(K.B, 2))
function Base.getindex(K::Kron{T}, i::Int, j::Int) where {T}
    @boundscheck checkbounds(K, i, j)
    (p, k), (q, l) = divrem(i - 1, size(K.B, 1)), divrem(j - 1, size(K.B, 2))
    return convert(T, K.A[p+1, q+1] * K.B[k+1, l+1])
end

# With x as a matrix X, the product is B * X * transpose(A).
function product(K, x)
    length(x) == size(K, 2) || throw(DimensionMismatch("the matrix has $(size(K, 2)) columns, the vector $(length(x)) elements"))
    n = size(K.B, 2)
    isempty(K) && return zeros(typeof(zero(eltype(K)) * zero(eltype(x))), size(K, 1))
    Y = reduce(hcat, [K.B * x[(j-1)*n .+ (1:n)] for j in axes(K.A, 2)])
    return vec(Y * transpose(K.A))
end
Base.:*(K::Kron, x::AbstractVector) = product(K, x)
function LinearAlgebra.mul!(y::AbstractVector, K::Kron, x::AbstractVector, α::Number, β::Number)
    length(y) == size(K, 1) || throw(DimensionMismatch("the matrix has $(size(K, 1)) rows, the result $(length(y)) elements"))
    p = product(K, x)
    return iszero(β) ? (y .= p .* α) : (y .= p .* α .+ y .* β)
end
LinearAlgebra.mul!(y::AbstractVector, K::Kron, x::AbstractVector) = mul!(y, K, x, true, false)

function Base.:*(K::Kron, L::Kron)
    size(K.A, 2) == size(L.A, 1) && size(K.B, 2) == size(L.B, 1) && return Kron(K.A * L.A, K.B * L.B)
    size(K, 2) == size(L, 1) || throw(DimensionMismatch("products of $(size(K)) and $(size(L))"))
    return reduce(hcat, [product(K, L[:, j]) for j in axes(L, 2)])
end

Base.adjoint(K::Kron) = Kron(K.A', K.B')
Base.transpose(K::Kron) = Kron(transpose(K.A), transpose(K.B))
Base.:-(K::Kron) = Kron(-K.A, K.B)
Base.:*(c::Number, K::Kron) = Kron(c * K.A, K.B)
Base.:*(K::Kron, c::Number) = Kron(K.A, K.B * c)
Base.:/(K::Kron, c::Number) = Kron(K.A, K.B / c)

# Two methods, because Base has one for all matrices of integers.
Base.:^(K::Kron, n::Integer) = power(K, n)
Base.:^(K::Kron{<:Integer}, n::Integer) = power(K, n)
power(K, n) = square_factors(K) ? Kron(K.A^n, K.B^n) : Matrix(K)^n

function check_regular(K)
    check_square(K)
    square_factors(K) || throw(SingularException(0))
end
function Base.inv(K::Kron)
    check_regular(K)
    return Kron(inv(K.A), inv(K.B))
end
function Base.:\(K::Kron, b::AbstractVector)
    length(b) == size(K, 1) || throw(DimensionMismatch("the matrix has $(size(K, 1)) rows, the vector $(length(b)) elements"))
    square(K) || return Matrix(K) \ b
    check_regular(K)
    Y = permutedims(K.A \ permutedims(reshape(collect(b), size(K.B, 1), size(K.A, 1))))
    return vec(K.B \ Y)
end

function LinearAlgebra.det(K::Kron)
    check_square(K)
    square_factors(K) || return zero(det(ones(eltype(K), 1, 1)))
    return det(K.A)^size(K.B, 1) * det(K.B)^size(K.A, 1)
end
function LinearAlgebra.logabsdet(K::Kron)
    check_square(K)
    isempty(K) && return logabsdet(Matrix(K))
    square_factors(K) || return logabsdet(zeros(float(eltype(K)), 1, 1))
    (a, s), (b, t) = logabsdet(K.A), logabsdet(K.B)
    return a * size(K.B, 1) + b * size(K.A, 1), s^size(K.B, 1) * t^size(K.A, 1)
end
function LinearAlgebra.logdet(K::Kron)
    l, s = logabsdet(K)
    return l + log(s)
end
function LinearAlgebra.tr(K::Kron)
    check_square(K)
    return square_factors(K) ? tr(K.A) * tr(K.B) : sum(K[i, i] for i in axes(K, 1))
end
LinearAlgebra.rank(K::Kron; options...) = rank(K.A; options...) * rank(K.B; options...)

Base.iszero(K::Kron) = all(iszero, K.A) || all(iszero, K.B)
function Base.isone(K::Kron)
    isempty(K) && return square(K)
    return isdiag(K) && square_factors(K) && all(i -> K.A[i, i] * K.B[1, 1] == 1, axes(K.A, 1)) && all(i -> K.A[1, 1] * K.B[i, i] == 1, axes(K.B, 1))
end

# Whether the matrix is what f makes of it turned over, where f is identity or conj. For square factors, it is enough to
# look at the elements in the rows and columns of one element of each factor that is not zero.
function is_mirrored(K, f)
    square(K) || return false
    iszero(K) && return true
    square_factors(K) || return all(K[i, j] == f(K[j, i]) for i in axes(K, 1) for j in axes(K, 2))
    A, B = K.A, K.B
    p, q = Tuple(findfirst(!iszero, A)), Tuple(findfirst(!iszero, B))
    a, b, c, d = A[p...], B[q...], f(A[reverse(p)...]), f(B[reverse(q)...])
    return all(f(A[j, i]) * d == A[i, j] * b for i in axes(A, 1) for j in axes(A, 2)) &&
           all(f(B[j, i]) * c == B[i, j] * a for i in axes(B, 1) for j in axes(B, 2))
end
LinearAlgebra.issymmetric(K::Kron) = is_mirrored(K, identity)
LinearAlgebra.issymmetric(K::Kron{<:Real}) = is_mirrored(K, identity)
LinearAlgebra.ishermitian(K::Kron) = is_mirrored(K, conj)

function LinearAlgebra.isposdef(K::Kron)
    ishermitian(K) || return false
    isempty(K) && return true
    square_factors(K) && !iszero(K.A[1, 1]) || return false
    # The first element of A becomes 1, so that both factors are Hermitian.
    return isposdef(Hermitian(Matrix(K.A / K.A[1, 1]))) && isposdef(Hermitian(Matrix(K.B * K.A[1, 1])))
end

# For a test of indices that tells the places where an element may be other than zero.
function is_zero_outside(K, place)
    iszero(K) && return true
    square_factors(K) || return all(place(i, j) || iszero(K[i, j]) for i in axes(K, 1) for j in axes(K, 2))
    fits(M, test) = all(test(i, j) || iszero(M[i, j]) for i in axes(M, 1) for j in axes(M, 2))
    # The blocks on the diagonal are multiples of B.
    return fits(K.A, place) && (all(i -> iszero(K.A[i, i]), axes(K.A, 1)) || fits(K.B, place))
end
LinearAlgebra.isdiag(K::Kron) = is_zero_outside(K, ==)
LinearAlgebra.istriu(K::Kron) = is_zero_outside(K, <=)
LinearAlgebra.istril(K::Kron) = is_zero_outside(K, >=)
