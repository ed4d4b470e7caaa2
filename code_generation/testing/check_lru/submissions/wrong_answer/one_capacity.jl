# Compares with a model through many operations, but for one small capacity and with numbers as keys only.
function check_lru(make)
    try
        c, model, r = make(3), Pair{Int,Int}[], 7
        for step in 1:500
            r = r * 48271 % 2147483647
            key, op = r % 5, r ÷ 5 % 4
            i = findfirst(p -> first(p) == key, model)
            if op == 0
                i === nothing || deleteat!(model, i)
                push!(model, key => step)
                length(model) > 3 && popfirst!(model)
                c.put(key, step) === nothing || return false
            elseif op == 1
                i === nothing || push!(model, splice!(model, i))
                c.get(key) === (i === nothing ? nothing : last(last(model))) || return false
            elseif op == 2
                c.has(key) === (i !== nothing) || return false
            else
                i === nothing || deleteat!(model, i)
                c.delete(key) === (i !== nothing) || return false
            end
            c.count() == length(model) || return false
        end
        return true
    catch
        return false
    end
end
