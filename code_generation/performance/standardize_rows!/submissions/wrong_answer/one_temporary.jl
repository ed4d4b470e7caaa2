# One vector for each row is left.
function standardize_rows!(A)
    n = size(A, 2)
    n >= 2 || throw(ArgumentError("at least two columns are needed, got $n"))
    for i in 1:size(A, 1)
        row = A[i, :]
        row .-= sum(row) / n
        deviation = sqrt(sum(abs2, row) / (n - 1))
        A[i, :] .= deviation == 0 ? row : row ./ deviation
    end
    return A
end
