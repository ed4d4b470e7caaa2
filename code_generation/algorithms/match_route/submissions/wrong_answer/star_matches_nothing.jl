# Lets a star match no segment at all.
segments(text) = split(text, '/'; keepempty = false)

# How good a segment of a pattern is: the smaller the better.
grade(segment) = startswith(segment, ':') ? 1 : startswith(segment, '*') ? 2 : 0

function parse_pattern(pattern)
    parts = segments(pattern)
    grades = grade.(parts)
    any(==(2), grades[1:end-1]) && throw(ArgumentError("a * segment must be the last one: $pattern"))
    any(in([":", "*"]), parts) && throw(ArgumentError("a parameter needs a name: $pattern"))
    return parts, grades
end

# The parameters, or nothing if the pattern does not match.
function match_parts(parts, grades, path)
    if !isempty(parts) && last(grades) == 2 && length(path) >= length(parts) - 1
        n = length(parts)
        path = [path[1:n-1]; join(path[n:end], '/')]
    end
    length(path) == length(parts) || return nothing
    all(grades[i] > 0 || parts[i] == path[i] for i in eachindex(path)) || return nothing
    return Dict{String, String}(chop(parts[i]; head = 1, tail = 0) => path[i] for i in eachindex(path) if grades[i] > 0)
end

function match_route(routes::AbstractVector{<:Pair}, path::AbstractString)
    best = nothing
    best_grades = Int[]
    for (pattern, handler) in routes
        parts, grades = parse_pattern(pattern)
        parameters = match_parts(parts, grades, segments(path))
        if parameters !== nothing && (best === nothing || isless(grades, best_grades))
            best, best_grades = (handler, parameters), grades
        end
    end
    return best
end
