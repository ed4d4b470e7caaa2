# Fails if there are fewer lines than asked for.
function last_lines(io::IO, n::Integer)
    n >= 0 || throw(ArgumentError("negative"))
    lines = readlines(io)
    return lines[end-n+1:end]
end
last_lines(path::AbstractString, n::Integer) = open(io -> last_lines(io, n), path)
