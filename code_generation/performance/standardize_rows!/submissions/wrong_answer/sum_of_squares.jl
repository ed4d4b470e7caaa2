# The shortcut with the sum of squares.
function standardize_rows!(A)
    n = size(A, 2)
    n >= 2 || throw(ArgumentError("at least two columns are needed, got $n"))
    for i in axes(A, 1)
        total = zero(eltype(A))
        squares = zero(eltype(A))
        for j in axes(A, 2)
            total += A[i, j]
            squares += A[i, j]^2
        end
        squares = max(squares - total^2 / n, 0)
        for j in axes(A, 2)
            A[i, j] -= total / n
        end
        squares == 0 && continue
        deviation = sqrt(squares / (n - 1))
        for j in axes(A, 2)
            A[i, j] /= deviation
        end
    end
    return A
end
