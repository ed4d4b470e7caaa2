# Closes the stream of the caller.
function last_lines(io::IO, n::Integer)
    n >= 0 || throw(ArgumentError("negative"))
    lines = readlines(io)
    close(io)
    return lines[max(1, end - n + 1):end]
end
last_lines(path::AbstractString, n::Integer) = last_lines(open(path), n)
