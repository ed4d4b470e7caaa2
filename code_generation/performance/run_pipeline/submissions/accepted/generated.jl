# A generated function that writes out all stages; a stage that can stop ends the code there.
@generated function run_pipeline(stages::Tuple, x)
    count = length(stages.parameters)
    code = Expr(:block)
    build(i, names) = begin
        while i <= count && stages.parameters[i] === Nothing
            i += 1
        end
        i > count && return Expr(:tuple, names...)
        y = Symbol("y", i)
        return Expr(:block, :($y = stages[$i]($(names[end]))), :($y isa Stopped ? $(Expr(:tuple, names..., y)) : $(build(i + 1, [names; y]))))
    end
    return :(x isa Stopped ? (x,) : $(build(1, Any[:x])))
end
