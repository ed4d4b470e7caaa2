# Each row as a view, with reductions that take a function.
function standardize_rows!(A)
    m, n = size(A)
    n < 2 && throw(ArgumentError("too few columns"))
    for i in 1:m
        standardize!(view(A, i, :))
    end
    A
end
function standardize!(row)
    n = length(row)
    mean = sum(row) / n
    row .-= mean
    deviation = sqrt(sum(abs2, row) / (n - 1))
    if deviation > 0
        row ./= deviation
    end
    nothing
end
