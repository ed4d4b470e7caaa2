# Rewrites a for loop as a while loop over the variable itself: the body changes the rounds, and continue skips the step.
rewrite(ex) = ex
function rewrite(ex::Expr)
    args = map(rewrite, ex.args)
    if ex.head == :for && Meta.isexpr(args[1], :(=)) && Meta.isexpr(args[1].args[2], :call, 3)
        name, (_, first, last) = args[1].args[1], args[1].args[2].args
        return quote
            $name = $first - 1
            while $name < $last
                $name = $name + 1
                $(args[2])
            end
        end
    end
    ex.head == :&& && return Expr(:if, args[1], args[2], false)
    ex.head == :|| && return Expr(:if, args[1], true, args[2])
    ex.head == :call && args[1] == :! && return Expr(:if, args[2], false, true)
    if ex.head == :comparison
        return foldr((i, rest) -> Expr(:if, Expr(:call, args[i], args[i - 1], args[i + 1]), rest, false), 2:2:length(args); init = true)
    end
    return Expr(ex.head, args...)
end
struct Loop
    height::Int
    breaks::Vector{Int}
    continues::Vector{Int}
end
cut(height) = stack -> resize!(stack, height)
step!(f::Function, stack, variables, position) = (f(stack); position + 1)
compile_program(ex) = (code = Any[]; emit!(code, rewrite(ex), 0, nothing); code)
function emit!(code, ex, height, loop)
    if ex isa Expr && ex.head == :while
        start = length(code) + 1
        emit!(code, ex.args[1], height, loop)
        leave = emit_hole!(code)
        inner = Loop(height, [], [])
        emit!(code, ex.args[2], height, inner)
        push!(code, (:pop,), (:jump, start))
        code[leave] = (:jump_if_false, length(code) + 1)
        foreach(h -> code[h] = (:jump, length(code) + 1), inner.breaks)
        foreach(h -> code[h] = (:jump, start), inner.continues)
        push!(code, (:push, nothing))
    elseif ex isa Expr && ex.head in (:break, :continue)
        loop === nothing && throw(ArgumentError("outside of a loop"))
        push!(code, cut(loop.height))
        push!(ex.head == :break ? loop.breaks : loop.continues, emit_hole!(code))
    elseif ex isa Expr && ex.head == :call && haskey(OPERATORS, ex.args[1])
        foreach(i -> emit!(code, ex.args[i], height + i - 2, loop), 2:length(ex.args))
        push!(code, (:call, ex.args[1], length(ex.args) - 1))
    elseif ex isa Expr && ex.head == :(=) && ex.args[1] isa Symbol
        emit!(code, ex.args[2], height, loop)
        push!(code, (:store, ex.args[1]), (:load, ex.args[1]))
    elseif ex isa Expr && ex.head == :block
        parts = filter(a -> !(a isa LineNumberNode), ex.args)
        isempty(parts) && push!(code, (:push, nothing))
        for (i, part) in enumerate(parts)
            emit!(code, part, height, loop)
            i < length(parts) && push!(code, (:pop,))
        end
    elseif ex isa Expr && ex.head in (:if, :elseif)
        emit!(code, ex.args[1], height, loop)
        a = emit_hole!(code)
        emit!(code, ex.args[2], height, loop)
        b = emit_hole!(code)
        code[a] = (:jump_if_false, length(code) + 1)
        emit!(code, length(ex.args) == 3 ? ex.args[3] : nothing, height, loop)
        code[b] = (:jump, length(code) + 1)
    else
        emit_value!(code, ex)
    end
end
