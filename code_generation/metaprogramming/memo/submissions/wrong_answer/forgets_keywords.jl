# Keyword arguments are not part of the key.
macro memo(definition)
    definition isa Expr && definition.head in (:(=), :function) || throw(ArgumentError("@memo needs a function definition"))
    signature = definition.args[1]
    while Meta.isexpr(signature, :where)
        signature = signature.args[1]
    end
    Meta.isexpr(signature, :call) || throw(ArgumentError("@memo needs a function definition"))
    parameters = signature.args[2:end]
    if !isempty(parameters) && Meta.isexpr(parameters[1], :parameters)
        keywords = popfirst!(parameters).args

    end
    names = map(name_of, parameters)
    # Values go into the definition, not names, so that nothing of the caller's can get in the way.
    memory = Dict{Any, Any}()
    key = :($tuple($(names...)))
    body = :($recall(() -> $(definition.args[2]), $memory, $key))
    return esc(Expr(definition.head, definition.args[1], body))
end

name_of(parameter::Symbol) = parameter
name_of(parameter::Expr) = name_of(parameter.args[1])

function recall(body, memory, arguments)
    key = (map(typeof, arguments), arguments)
    haskey(memory, key) || (memory[key] = body())
    return memory[key]
end
