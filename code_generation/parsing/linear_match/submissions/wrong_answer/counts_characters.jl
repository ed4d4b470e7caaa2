# Ranges count characters.
# A program of instructions that is run by backtracking, with a memory of what has failed already. A state is the place
# in the program, the place in the text, and for each loop around that place whether its iteration has consumed
# something; whatever else there is (the captures) has no influence on whether a state fails.

struct Instruction
    kind::Symbol            # :char, :assert, :split, :jump, :open, :close, :enter, :again, :look, :match
    accepts::Any            # of :char, a function of a character; of :assert, a symbol; of :again and :look, a Bool
    x::Int                  # where to go on, or the number of a slot or of a loop
    y::Int
    loops::Int              # how many loops are around it
end

mutable struct Compiler
    chars::Vector{Char}
    next::Int
    groups::Int
    code::Vector{Instruction}
    depth::Int
    deepest::Int
end

# The syntax tree: tuples whose first element says what they are.

peek_char(c::Compiler) = c.next <= length(c.chars) ? c.chars[c.next] : '\0'
at_end(c::Compiler) = c.next > length(c.chars)
looking_at(c::Compiler, char) = !at_end(c) && peek_char(c) == char

function parse_alternatives(c::Compiler)
    branches = Any[parse_sequence(c)]
    while looking_at(c, '|')
        c.next += 1
        push!(branches, parse_sequence(c))
    end
    return (:alternatives, branches)
end

function parse_sequence(c::Compiler)
    items = Any[]
    while !at_end(c) && !(peek_char(c) in "|)")
        push!(items, parse_quantified(c))
    end
    return (:sequence, items)
end

function parse_quantified(c::Compiler)
    item = parse_atom(c)
    at_end(c) && return item
    least, most = quantifier(c)
    least === nothing && return item
    greedy = !looking_at(c, '?')
    greedy || (c.next += 1)
    return (:repeat, item, least, most, greedy)
end

# Reads a quantifier, if there is one: what looks like one but is none stands for itself.
function quantifier(c::Compiler)
    char = peek_char(c)
    if char == '{'
        close = findnext(==('}'), c.chars, c.next)
        close === nothing && return (nothing, nothing)
        m = split(String(c.chars[c.next+1:close-1]), ',')
        isnumber(s) = !isempty(s) && all(d -> '0' <= d <= '9', s)
        isnumber(m[1]) && length(m) <= 2 && (length(m) == 1 || isempty(m[2]) || isnumber(m[2])) || return (nothing, nothing)
        least = parse(Int, m[1])
        most = length(m) == 1 ? least : isempty(m[2]) ? typemax(Int) : parse(Int, m[2])
        c.next = close + 1
        return (least, most)
    end
    i = findfirst(==(char), ['*', '+', '?'])
    i === nothing && return (nothing, nothing)
    c.next += 1
    return ((0, typemax(Int)), (1, typemax(Int)), (0, 1))[i]
end

function parse_atom(c::Compiler)
    char = peek_char(c)
    c.next += 1
    if char == '('
        if looking_at(c, '?') && c.chars[c.next+1] != ':'
            positive = c.chars[c.next+1] == '='
            c.next += 2
            inner = parse_alternatives(c)
            c.next += 1
            return (:look, positive, inner)
        end
        capturing = !looking_at(c, '?')
        capturing || (c.next += 2)
        number = capturing ? (c.groups += 1) : 0
        inner = parse_alternatives(c)
        c.next += 1
        return capturing ? (:group, number, inner) : inner
    end
    char == '[' && return (:char, parse_class(c))
    char == '.' && return (:char, !=('\n'))
    char == '^' && return (:assert, :begin)
    char == '$' && return (:assert, :end)
    if char == '\\'
        escaped = peek_char(c)
        c.next += 1
        escaped == 'b' && return (:assert, :border)
        escaped == 'B' && return (:assert, :noborder)
        return (:char, escape(escaped))
    end
    return (:char, ==(char))
end

is_digit(char) = '0' <= char <= '9'
is_word(char) = 'a' <= char <= 'z' || 'A' <= char <= 'Z' || is_digit(char) || char == '_'
is_space(char) = char in " \t\n\v\f\r"

function escape(char)
    char == 'd' && return is_digit
    char == 'w' && return is_word
    char == 's' && return is_space
    char == 'D' && return !is_digit
    char == 'W' && return !is_word
    char == 'S' && return !is_space
    char == 'n' && return ==('\n')
    char == 't' && return ==('\t')
    return ==(char)
end

function parse_class(c::Compiler)
    negated = looking_at(c, '^')
    negated && (c.next += 1)
    tests = Any[]
    first_one = true
    while first_one || peek_char(c) != ']'
        first_one = false
        low = class_char(c)
        if low isa Char && looking_at(c, '-') && c.chars[c.next+1] != ']'
            c.next += 1
            high = class_char(c)
            push!(tests, char -> low <= char <= high)
        else
            push!(tests, low isa Char ? ==(low) : low)
        end
    end
    c.next += 1
    return char -> any(test -> test(char), tests) != negated
end

# A character, or a function of a character for an escape that stands for several.
function class_char(c::Compiler)
    char = peek_char(c)
    c.next += 1
    char == '\\' || return char
    char = peek_char(c)
    c.next += 1
    char in "dwsDWS" && return escape(char)
    return char == 'n' ? '\n' : char == 't' ? '\t' : char
end

emit!(c::Compiler, kind, accepts = nothing, x = 0, y = 0) =
    (push!(c.code, Instruction(kind, accepts, x, y, c.depth)); length(c.code))
here(c::Compiler) = length(c.code) + 1

function patch!(c::Compiler, at, x, y = 0)
    old = c.code[at]
    c.code[at] = Instruction(old.kind, old.accepts, x, y, old.loops)
end

# A choice between going on behind it and going elsewhere, which is filled in later.
set_choice!(c::Compiler, at, inside, outside, greedy) =
    greedy ? patch!(c, at, inside, outside) : patch!(c, at, outside, inside)

function compile!(c::Compiler, tree)
    kind = tree[1]
    if kind === :char || kind === :assert
        emit!(c, kind, tree[2])
    elseif kind === :sequence
        foreach(item -> compile!(c, item), tree[2])
    elseif kind === :group
        emit!(c, :open, nothing, tree[2])
        compile!(c, tree[3])
        emit!(c, :close, nothing, tree[2])
    elseif kind === :look
        look = emit!(c, :look, tree[2])
        compile!(c, tree[3])
        emit!(c, :match)
        patch!(c, look, here(c))
    elseif kind === :alternatives
        branches = tree[2]
        jumps = Int[]
        for (i, branch) in enumerate(branches)
            if i == length(branches)
                compile!(c, branch)
            else
                split = emit!(c, :split)
                compile!(c, branch)
                push!(jumps, emit!(c, :jump))
                patch!(c, split, split + 1, here(c))
            end
        end
        foreach(jump -> patch!(c, jump, here(c)), jumps)
    else
        compile_repeat!(c, tree[2], tree[3], tree[4], tree[5])
    end
end

function compile_repeat!(c::Compiler, item, least, most, greedy)
    if most == typemax(Int)
        foreach(_ -> compile!(c, item), 1:least-1)
        skip = least == 0 ? emit!(c, :split) : 0
        c.depth += 1
        c.deepest = max(c.deepest, c.depth)
        start = emit!(c, :enter, nothing, c.depth)
        compile!(c, item)
        again = emit!(c, :again, greedy, start)
        c.depth -= 1
        skip == 0 || set_choice!(c, skip, start, here(c), greedy)
    else
        foreach(_ -> compile!(c, item), 1:least)
        skips = Int[]
        for _ in least+1:most
            push!(skips, emit!(c, :split))
            compile!(c, item)
        end
        foreach(skip -> set_choice!(c, skip, skip + 1, here(c), greedy), skips)
    end
end

function linear_match(pattern::AbstractString, text::AbstractString)
    c = Compiler(collect(pattern), 1, 0, Instruction[], 0, 0)
    tree = parse_alternatives(c)
    compile!(c, tree)
    emit!(c, :match)
    return search(c.code, c.groups, c.deepest, collect(text), String(text))
end

struct Matcher
    code::Vector{Instruction}
    chars::Vector{Char}
    all_bits::Int
    slots::Vector{Int}              # where each group begins and ends, in pairs
    opened::Vector{Int}             # where each group was entered last
    failed::Vector{BitVector}       # by instruction: which states lead to nothing
    tried::Vector{Tuple{Int,Int}}   # which of them were noted since the outermost lookahead began
end

function search(code, groups, deepest, chars::Vector{Char}, text::String)
    failed = [falses((length(chars) + 1) << instruction.loops) for instruction in code]
    m = Matcher(code, chars, (1 << deepest) - 1, zeros(Int, 2groups), zeros(Int, groups), failed, Tuple{Int,Int}[])
    for start in 1:length(chars)+1
        stop = run_from(m, 1, start, 0, false)
        stop == 0 && continue
        indices = 1:length(text)+1
        range(from, to) = from == to ? (indices[from]:indices[from]-1) : (indices[from]:indices[to-1])
        found = Union{Nothing,UnitRange{Int}}[range(start, stop)]
        for group in 1:groups
            push!(found, m.slots[2group] == 0 ? nothing : range(m.slots[2group-1], m.slots[2group]))
        end
        return found
    end
    return nothing
end

# Where the match that begins in this state ends, or 0. The stack holds states to go on with (place in the program, in
# the text, and bits) and slots to restore (minus the slot, and its value). Without a match all slots are as before.
function run_from(m::Matcher, pc, at, bits, looking)
    code, chars, slots, opened = m.code, m.chars, m.slots, m.opened
    stack = [(pc, at, bits)]
    while !isempty(stack)
        pc, at, bits = pop!(stack)
        if pc < 0
            pc >= -length(slots) ? (slots[-pc] = at) : (opened[-pc-length(slots)] = at)
            continue
        end
        while true
            instruction = code[pc]
            kind = instruction.kind
            if kind === :split || kind === :again
                key = ((at - 1) << instruction.loops) + (bits & ((1 << instruction.loops) - 1)) + 1
                m.failed[pc][key] && break
                m.failed[pc][key] = true
                looking && push!(m.tried, (pc, key))
            end
            if kind === :char
                at <= length(chars) && instruction.accepts(chars[at])::Bool || break
                at += 1
                bits = m.all_bits
                pc += 1
            elseif kind === :split
                push!(stack, (instruction.y, at, bits))
                pc = instruction.x
            elseif kind === :jump
                pc = instruction.x
            elseif kind === :open
                group = instruction.x
                push!(stack, (-group - length(slots), opened[group], 0))
                opened[group] = at
                pc += 1
            elseif kind === :close
                group = instruction.x
                push!(stack, (-2group, slots[2group], 0), (1 - 2group, slots[2group-1], 0))
                slots[2group-1], slots[2group] = opened[group], at
                pc += 1
            elseif kind === :enter
                bits &= ~(1 << (instruction.x - 1))
                pc += 1
            elseif kind === :again
                progress = bits & (1 << (instruction.loops - 1)) != 0
                if !progress
                    pc += 1
                elseif instruction.accepts
                    push!(stack, (pc + 1, at, bits))
                    pc = instruction.x
                else
                    push!(stack, (instruction.x, at, bits))
                    pc += 1
                end
            elseif kind === :assert
                holds(instruction.accepts, chars, at) || break
                pc += 1
            elseif kind === :look
                before = copy(slots)
                found = look(m, pc + 1, at, bits)
                if found && instruction.accepts
                    for slot in findall(before .!= slots)
                        push!(stack, (-slot, before[slot], 0))
                    end
                else
                    copyto!(slots, before)
                end
                found == instruction.accepts || break
                pc = instruction.x
            else
                return at
            end
        end
    end
    return 0
end

# Whether a lookahead finds something. What it tried on the way has not failed then: it may come here again.
function look(m::Matcher, pc, at, bits)
    noted = length(m.tried)
    found = run_from(m, pc, at, bits, true) != 0
    if found
        foreach(((pc, key),) -> m.failed[pc][key] = false, view(m.tried, noted+1:length(m.tried)))
        resize!(m.tried, noted)
    end
    return found
end

function holds(what, chars, at)
    n = length(chars)
    what === :begin && return at == 1
    what === :end && return at == n + 1 || (at == n && chars[n] == '\n')
    before = at > 1 && is_word(chars[at-1])
    after = at <= n && is_word(chars[at])
    return (before != after) == (what === :border)
end
