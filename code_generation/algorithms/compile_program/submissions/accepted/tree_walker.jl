# Checks the expression at compilation, and walks through it when it runs; jumps are exceptions of the walker.
struct Jump <: Exception
    kind::Symbol
end

function check(ex, in_loop)
    ex isa Union{Number,Nothing,Symbol} && return
    bad() = throw(ArgumentError("cannot compile $ex"))
    ex isa Expr || bad()
    head, args = ex.head, filter(a -> !(a isa LineNumberNode), ex.args)
    if head in (:break, :continue)
        in_loop || bad()
    elseif head == :while
        check(args[1], in_loop)
        check(args[2], true)
    elseif head == :for
        spec = args[1]
        spec.head == :(=) && spec.args[1] isa Symbol && Meta.isexpr(spec.args[2], :call, 3) && spec.args[2].args[1] == :(:) || bad()
        foreach(border -> check(border, in_loop), spec.args[2].args[2:3])
        check(args[2], true)
    elseif head == :comparison
        all(op -> haskey(OPERATORS, op), args[2:2:end]) || bad()
        foreach(a -> check(a, in_loop), args[1:2:end])
    elseif head == :call
        haskey(OPERATORS, args[1]) || args[1] == :! || bad()
        foreach(a -> check(a, in_loop), args[2:end])
    elseif head == :(=) && args[1] isa Symbol
        check(args[2], in_loop)
    elseif head in (:block, :if, :elseif, :&&, :||)
        foreach(a -> check(a, in_loop), args)
    else
        bad()
    end
    return
end

compile_program(ex) = (check(ex, false); Any[ex])

truth(x) = x isa Bool ? x : throw(TypeError(:if, "", Bool, x))

function run_program(code, variables = Dict{Symbol,Any}(); fuel = 10_000)
    left = Ref(fuel)
    # Whether a loop goes on after a round.
    function round_of(body)
        try
            walk(body)
        catch jump
            jump isa Jump || rethrow()
            return jump.kind == :continue
        end
        return true
    end
    function walk(ex)
        (left[] -= 1) >= 0 || error("out of fuel")
        ex isa Symbol && return haskey(variables, ex) ? variables[ex] : throw(UndefVarError(ex))
        ex isa Expr || return ex
        args = filter(a -> !(a isa LineNumberNode), ex.args)
        head = ex.head
        head in (:break, :continue) && throw(Jump(head))
        head == :(=) && return variables[args[1]] = walk(args[2])
        head == :block && return foldl((_, a) -> walk(a), args; init = nothing)
        head == :&& && return truth(walk(args[1])) ? walk(args[2]) : false
        head == :|| && return truth(walk(args[1])) ? true : walk(args[2])
        head in (:if, :elseif) && return truth(walk(args[1])) ? walk(args[2]) : length(args) == 3 ? walk(args[3]) : nothing
        if head == :call
            values = map(walk, args[2:end])
            return args[1] == :! ? !truth(values[1]) : OPERATORS[args[1]](values...)
        elseif head == :comparison
            a = walk(args[1])
            for i in 2:2:length(args)
                b = walk(args[i + 1])
                OPERATORS[args[i]](a, b) || return false
                a = b
            end
            return true
        elseif head == :while
            while truth(walk(args[1])) && round_of(args[2])
            end
        else
            name, (_, first, last) = args[1].args[1], args[1].args[2].args
            from = walk(first)
            to = walk(last)
            for i in from:to
                variables[name] = i
                round_of(args[2]) || break
            end
        end
        return nothing
    end
    return walk(code[1])
end
