# Replaces one escape after the other, so an escaped backslash before n becomes a line break.
struct IniError <: Exception
    line::Int
    message::String
end

const INI_ESCAPES = Dict('"' => '"', '\\' => '\\', 'n' => '\n')

function parse_ini(text::AbstractString)
    sections = Dict{String, Dict{String, String}}()
    current = ""
    for (number, raw_line) in enumerate(split(text, '\n'))
        line = strip(raw_line)
        if isempty(line) || line[1] in ('#', ';')
            continue
        elseif line[1] == '['
            current = section_name(line, number)
            get!(() -> Dict{String, String}(), sections, current)
        else
            key, value = key_and_value(line, number)
            entries = get!(() -> Dict{String, String}(), sections, current)
            haskey(entries, key) && throw(IniError(number, "key $key is given twice"))
            entries[key] = value
        end
    end
    return sections
end

function section_name(line, number)
    endswith(line, ']') || throw(IniError(number, "a section line must end with ]"))
    name = strip(chop(line; head = 1, tail = 1))
    isempty(name) && throw(IniError(number, "a section needs a name"))
    return String(name)
end

function key_and_value(line, number)
    occursin('=', line) || throw(IniError(number, "expected key = value"))
    key, value = strip.(split(line, '='; limit = 2))
    isempty(key) && throw(IniError(number, "a key is missing before ="))
    return String(key), startswith(value, '"') ? quick(value, number) : String(value)
end

function quick(v, number)
    (length(v) >= 2 && endswith(v, '"')) || throw(IniError(number, "q"))
    s = chop(v; head = 1, tail = 1)
    return replace(replace(replace(String(s), "\\n" => "\n"), "\\\"" => "\""), "\\\\" => "\\")
end
function unquoted(value, number)
    characters = Iterators.Stateful(chop(value; head = 1, tail = 0))
    return sprint() do io
        for c in characters
            if c == '"'
                isempty(characters) || throw(IniError(number, "text after the closing quote"))
                return
            elseif c == '\\'
                escaped = isempty(characters) ? nothing : popfirst!(characters)
                haskey(INI_ESCAPES, escaped) || throw(IniError(number, "unknown escape in a quoted value"))
                print(io, INI_ESCAPES[escaped])
            else
                print(io, c)
            end
        end
        throw(IniError(number, "the closing quote is missing"))
    end
end
