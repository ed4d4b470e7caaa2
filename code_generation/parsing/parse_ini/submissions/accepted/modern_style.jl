# Lines one by one from eachsplit, quoted values by a regular expression.
# Needs: Julia 1.8
struct IniError <: Exception
    line::Int
    message::String
end

function value_of(text, line)
    startswith(text, '"') || return String(text)
    quoted = match(r"^\"((?:[^\"\\]|\\[\"\\n])*)\"$"s, text)
    isnothing(quoted) && throw(IniError(line, "a faulty quoted value"))
    replace(only(quoted.captures), "\\\"" => "\"", "\\\\" => "\\", "\\n" => "\n")
end

function parse_ini(text::AbstractString)
    sections = Dict{String, Dict{String, String}}()
    name = ""
    for (line, raw) in enumerate(eachsplit(text, '\n'))
        content = strip(raw)
        if isempty(content) || first(content) ∈ "#;"
            continue
        elseif startswith(content, '[')
            endswith(content, ']') && length(content) > 1 || throw(IniError(line, "no closing bracket"))
            name = String(strip(chopsuffix(chopprefix(content, "["), "]")))
            isempty(name) && throw(IniError(line, "no name"))
            get!(Dict{String, String}, sections, name)
        else
            contains(content, '=') || throw(IniError(line, "no ="))
            key, value = map(strip, eachsplit(content, '='; limit = 2))
            isempty(key) && throw(IniError(line, "no key"))
            section = get!(Dict{String, String}, sections, name)
            haskey(section, key) && throw(IniError(line, "the key $key again"))
            section[String(key)] = value_of(value, line)
        end
    end
    sections
end
