# Sums that begin as integers.
function standardize_rows!(A)
    n = size(A, 2)
    n >= 2 || throw(ArgumentError("at least two columns are needed, got $n"))
    for i in axes(A, 1)
        total = Any[0][1]
        for j in axes(A, 2)
            total += A[i, j]
        end
        squares = zero(eltype(A))
        for j in axes(A, 2)
            A[i, j] -= total / n
            squares += A[i, j]^2
        end
        squares == 0 && continue
        deviation = sqrt(squares / (n - 1))
        for j in axes(A, 2)
            A[i, j] /= deviation
        end
    end
    return A
end
