# A look at what the candidate changed outside its own module. Runs in the judge's frame, so nothing the
# candidate defined can blind it.
#
# A method that a candidate adds to a function of Julia's, on types that are not its own, changes what
# everybody's calls mean. That is an attempt on the verdict where the function decides verdicts (Test,
# the judge itself, comparisons) or is named in the tests; elsewhere it is bad style and its own affair.

const VERDICT_FUNCTIONS = (:(==), :(!=), :(===), :(!==), :isequal, :isless, :<, :(<=), :>, :(>=), :isapprox, :in, :!, :isa,
    :hash, :all, :any, :xor, :&, :|, :convert, :promote, :getproperty, :invokelatest)

"Where to look: the method tables that decide verdicts, and those of all functions by name."
struct Watchlist
    always::Vector{Any}
    by_name::Dict{Symbol,Vector{Any}}
end

# 1.12 has one table for all functions; it is looked through whole.
Watchlist() = isdefined(Core, :methodtable) ? Watchlist(Any[Core.methodtable], Dict{Symbol,Vector{Any}}()) : watch_functions()

function watch_functions()
    # All constructors share one table.
    constructors = typeof_table(Base.unwrap_unionall(Type))
    watchlist = Watchlist(Any[typeof_table(Referee), typeof_table(Chooser), constructors], Dict{Symbol,Vector{Any}}())
    for m in trusted_modules(), name in names(m, all = true, imported = true)
        isdefined(m, name) || continue
        table = table_of(getfield(m, name))
        table === nothing && continue
        known = get!(watchlist.by_name, name, Any[])
        table in known || push!(known, table)
        decides = m === Test || m === @__MODULE__() || name in VERDICT_FUNCTIONS
        decides && !(table in watchlist.always) && push!(watchlist.always, table)
    end
    return watchlist
end

typeof_table(T::DataType) = T.name.mt

function table_of(@nospecialize(f))
    f isa Function && !(f isa Core.Builtin) && return typeof_table(typeof(f))
    f isa DataType && isdefined(f.name, :mt) && return typeof_table(f)
    return nothing
end

function trusted_modules()
    found = trusted_roots()
    for m in copy(found), name in names(m, all = true)
        isdefined(m, name) || continue
        inner = getfield(m, name)
        inner isa Module && parentmodule(inner) === m && !(inner in found) && push!(found, inner)
    end
    return filter(m -> m !== Main, unique(found))
end

"What the candidate did to functions that are not its own, as far as it bears on the verdict."
function find_tampering(scope::Scope, watchlist::Watchlist, named::Vector{Symbol})
    found = String[]
    tables = copy(watchlist.always)
    foreach(name -> append!(tables, get(watchlist.by_name, name, ())), named)
    for table in tables
        Base.visit(table) do method
            is_attempt(scope, method, named) && length(found) < 20 && push!(found, describe_method(method))
            true
        end
    end
    booleans_are_intact() || push!(found, "changed what `true` or `false` is in memory")
    Test.get_testset_depth() == scope.test_sets || push!(found, "left a test set of its own on Test's stack")
    return unique(found)
end

# Julia keeps one boxed `true` and one boxed `false`; a stray write to them turns every verdict.
booleans_are_intact() = boxed_byte(false) === 0x00 && boxed_byte(true) === 0x01
boxed_byte(value::Bool) = unsafe_load(Ptr{UInt8}(ccall(:jl_value_ptr, Ptr{Cvoid}, (Any,), value)))

function is_attempt(scope::Scope, method, named::Vector{Symbol})
    method isa Method && method.primary_world > scope.world || return false
    signature = Base.unwrap_unionall(method.sig)
    any(T -> is_own_type(scope, T), signature.parameters) && return false
    from = callee_module(signature)
    return from === Test || root_module(from) === @__MODULE__() ||
        method.name in VERDICT_FUNCTIONS || method.name in named
end

function callee_module(signature::DataType)
    callee = Base.unwrap_unionall(signature.parameters[1])
    return callee isa DataType ? callee.name.module : Core
end

describe_method(method) = clip(string("redefined ", callee_module(Base.unwrap_unionall(method.sig)), ".", method.name), 120)

# What Julia calls for syntax that names no function: `[1, 2]` is `vect(1, 2)`.
const IMPLIED = Dict{Symbol,Vector{Symbol}}(
    :vect => [:vect], :hcat => [:hcat], :vcat => [:vcat, :hvcat], :ref => [:getindex], :string => [:string],
    :typed_hcat => [:typed_hcat], :typed_vcat => [:typed_vcat, :typed_hvcat], :comprehension => [:collect, :iterate],
    :typed_comprehension => [:collect, :iterate], :generator => [:iterate], :. => [:broadcasted, :materialize, :getproperty])

"Every name that occurs in the tests, and what their syntax stands for."
function names_in_tests(tests::Vector{Parsed})
    found = Symbol[]
    for parsed in tests, statement in parsed.statements
        collect_names!(found, statement.code)
    end
    return unique(found)
end

function collect_names!(found::Vector{Symbol}, @nospecialize(ex))
    ex isa Symbol && push!(found, ex)
    ex isa QuoteNode && ex.value isa Symbol && push!(found, ex.value)
    ex isa Expr || return
    haskey(IMPLIED, ex.head) && append!(found, IMPLIED[ex.head])
    foreach(arg -> collect_names!(found, arg), ex.args)
end
