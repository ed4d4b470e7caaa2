# As the solution, but a jump leaves what the expressions in between have put on the stack.
struct Loop
    breaks::Vector{Int}
    continues::Vector{Int}
end
const LOOPS = Loop[]
function compile_program(ex)
    code = Any[]
    empty!(LOOPS)
    emit_value!(code, ex)
    return code
end
const given_emit! = (code, ex) -> invoke(emit_value!, Tuple{Any,Any}, code, ex)
function emit_value!(code, ex::Expr)
    head, args = ex.head, ex.args
    if head == :&&
        emit_if!(code, args[1], args[2], false)
    elseif head == :||
        emit_if!(code, args[1], true, args[2])
    elseif head == :call && args[1] == :!
        emit_if!(code, args[2], false, true)
    elseif head == :while
        start = length(code) + 1
        emit_value!(code, args[1])
        leave = emit_hole!(code)
        push!(LOOPS, Loop([], []))
        emit_value!(code, args[2])
        push!(code, (:pop,), (:jump, start))
        code[leave] = (:jump_if_false, length(code) + 1)
        loop = pop!(LOOPS)
        foreach(h -> code[h] = (:jump, length(code) + 1), loop.breaks)
        foreach(h -> code[h] = (:jump, start), loop.continues)
        push!(code, (:push, nothing))
    elseif head in (:break, :continue)
        isempty(LOOPS) && throw(ArgumentError("outside of a loop"))
        push!(head == :break ? LOOPS[end].breaks : LOOPS[end].continues, emit_hole!(code))
    else
        given_emit!(code, ex)
    end
    return nothing
end
