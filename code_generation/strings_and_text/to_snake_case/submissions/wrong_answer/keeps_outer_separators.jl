# Keeps an underscore at the start and at the end.
function starts_word(chars, i)
    i > 1 && isuppercase(chars[i]) || return false
    before = chars[i - 1]
    islowercase(before) || isdigit(before) || return ends_acronym(chars, i)
    return true
end

ends_acronym(chars, i) = isuppercase(chars[i - 1]) && i < length(chars) && islowercase(chars[i + 1])

function to_snake_case(name::AbstractString)
    chars = collect(name)
    marked = sprint() do io
        for i in eachindex(chars)
            starts_word(chars, i) && print(io, '_')
            print(io, lowercase(chars[i]))
        end
    end
    return replace(marked, r"[_\- ]+" => "_")
end
