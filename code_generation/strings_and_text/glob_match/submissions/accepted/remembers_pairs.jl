# Compiles the pattern into tuples first, then matches recursively and remembers every pair of positions.
glob_fail() = throw(ArgumentError("bad pattern"))
function compile_glob(p::Vector{Char})
    out = Any[]
    i = 1
    while i <= length(p)
        c = p[i]
        if c == '*'
            j = i
            while j < length(p) && p[j + 1] == '*'
                j += 1
            end
            push!(out, j > i ? (:deep,) : (:flat,))
            i = j
        elseif c == '?'
            push!(out, (:one,))
        elseif c == '\\'
            i < length(p) || glob_fail()
            i += 1
            push!(out, (:char, p[i]))
        elseif c == '['
            i += 1
            no = i <= length(p) && p[i] == '!'
            no && (i += 1)
            items = Tuple{Char, Bool}[]           # the character, and whether it was escaped
            while true
                i <= length(p) || glob_fail()
                p[i] == ']' && break
                if p[i] == '\\'
                    i < length(p) || glob_fail()
                    push!(items, (p[i + 1], true)); i += 2
                else
                    push!(items, (p[i], false)); i += 1
                end
            end
            isempty(items) && glob_fail()
            ranges = Tuple{Char, Char}[]
            k = 1
            while k <= length(items)
                if k + 2 <= length(items) && items[k + 1] == ('-', false)
                    items[k][1] > items[k + 2][1] && glob_fail()
                    push!(ranges, (items[k][1], items[k + 2][1])); k += 3
                else
                    push!(ranges, (items[k][1], items[k][1])); k += 1
                end
            end
            push!(out, (:set, no, ranges))
        else
            push!(out, (:char, c))
        end
        i += 1
    end
    return out
end
function fits(part, c)
    part[1] == :char && return part[2] == c
    part[1] == :deep && return true
    c == '/' && return false
    part[1] == :set || return true
    return part[2] ? !any(r -> r[1] <= c <= r[2], part[3]) : any(r -> r[1] <= c <= r[2], part[3])
end
function glob_match(pattern::AbstractString, text::AbstractString)
    parts, t = compile_glob(collect(pattern)), collect(text)
    memo = Dict{Tuple{Int, Int}, Bool}()
    function go(i, j)
        get!(memo, (i, j)) do
            i > length(parts) && return j > length(t)
            here = j <= length(t) && fits(parts[i], t[j])
            if parts[i][1] in (:deep, :flat)
                return go(i + 1, j) || (here && go(i, j + 1))
            end
            return here && go(i + 1, j + 1)
        end
    end
    return go(1, 1)
end
