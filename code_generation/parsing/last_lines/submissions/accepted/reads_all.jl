# Reads everything, and cuts the text by hand.
function last_lines(io::IO, n::Integer)
    n < 0 && throw(ArgumentError("negative"))
    text = read(io, String)
    lines = split(text, '\n')
    ended = [endswith(l, '\r') ? String(chop(l)) : String(l) for l in lines[1:end-1]]
    isempty(lines[end]) || push!(ended, String(lines[end]))
    return ended[max(1, end - n + 1):end]
end
function last_lines(path::AbstractString, n::Integer)
    io = open(path)
    try
        return last_lines(io, n)
    finally
        close(io)
    end
end
