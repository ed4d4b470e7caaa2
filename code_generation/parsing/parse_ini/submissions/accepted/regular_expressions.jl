# Reads sections and quoted values with regular expressions.
struct IniError <: Exception
    line::Int
    message::String
end
function parse_ini(text::AbstractString)
    out = Dict{String,Dict{String,String}}()
    section = ""
    n = 0
    for l in eachline(IOBuffer(String(text)))
        n += 1
        bad(msg) = throw(IniError(n, msg))
        s = String(strip(l))
        (s == "" || occursin(r"^[#;]", s)) && continue
        if s[1] == '['
            m = match(r"^\[\s*(.*?)\s*\]$"s, s)
            (m === nothing || m[1] == "") && bad("bad section")
            section = String(m[1])
            haskey(out, section) || (out[section] = Dict{String,String}())
            continue
        end
        i = findfirst(isequal('='), s)
        i === nothing && bad("no =")
        k = String(strip(s[1:prevind(s, i)])); v = String(strip(s[nextind(s, i):end]))
        k == "" && bad("no key")
        if startswith(v, "\"")
            m = match(r"^\"((?:[^\"\\]|\\[\"\\n])*)\"$", v)
            m === nothing && bad("bad quoted value")
            v = replace(m[1], r"\\." => e -> e == "\\n" ? "\n" : e[2:end])
        end
        d = get!(out, section, Dict{String,String}())
        haskey(d, k) && bad("duplicate")
        d[k] = v
    end
    return out
end
