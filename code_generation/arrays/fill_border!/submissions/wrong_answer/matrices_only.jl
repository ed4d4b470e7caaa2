# Indexes rows and columns, so it works for matrices only.
function fill_border!(A::AbstractArray, value; width::Integer = 1)
    width < 0 && throw(ArgumentError("negative width"))
    w, h = min(width, size(A, 1)), min(width, size(A, 2))
    A[1:w, :] .= value
    A[end-w+1:end, :] .= value
    A[:, 1:h] .= value
    A[:, end-h+1:end] .= value
    return A
end
