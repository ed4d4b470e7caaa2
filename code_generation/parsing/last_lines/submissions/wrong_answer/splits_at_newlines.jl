# Splits at newlines, so a line end at the end starts another line, and carriage returns stay.
function last_lines(io::IO, n::Integer)
    n >= 0 || throw(ArgumentError("negative"))
    lines = String.(split(read(io, String), '\n'))
    return lines[max(1, end - n + 1):end]
end
last_lines(path::AbstractString, n::Integer) = open(io -> last_lines(io, n), path)
