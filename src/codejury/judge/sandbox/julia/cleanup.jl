# A candidate without what would fail for reasons that are not its own: imports of packages that are
# not installed, package management, and tests nobody asked for. On expressions, never on lines.

struct Cleaned
    statements::Vector{Statement}
    dropped_imports::Vector{String}
    dropped_tests::Int
end

mutable struct Broom
    imports::Vector{String}
    tests::Int
    depth::Int        # in how many modules of the candidate's own
end

const TEST_MACROS = Tuple(Symbol("@", name) for name in
    ("test", "test_throws", "test_broken", "test_skip", "test_logs", "test_warn", "test_nowarn", "test_deprecated", "testset"))

function clean(parsed::Parsed)
    broom = Broom(String[], 0, 0)
    statements = Statement[]
    for statement in parsed.statements
        kept = sweep(broom, statement.code)
        kept === nothing || push!(statements, Statement(statement.line, kept))
    end
    return Cleaned(statements, broom.imports, broom.tests)
end

"The expression without what is dropped; `nothing` where nothing is left of it."
function sweep(broom::Broom, @nospecialize(ex))
    ex isa Expr || return ex
    ex.head in (:quote, :inert) && return ex
    ex.head in (:using, :import) && return sweep_import(broom, ex)
    is_pkg_call(ex) && (push!(broom.imports, "Pkg call"); return nothing)
    if ex.head === :macrocall && macro_name(ex) in TEST_MACROS
        broom.tests += 1
        return nothing
    end
    ex.head === :module && (broom.depth += 1)
    swept = Expr(ex.head, Any[swept_argument(broom, arg) for arg in ex.args]...)
    ex.head === :module && (broom.depth -= 1)
    return swept
end

swept_argument(broom::Broom, @nospecialize(arg)) = arg isa Expr ? sweep(broom, arg) : arg

"`using A, B.C`, `import A: x, y`: one path or one list of names at a time."
function sweep_import(broom::Broom, ex::Expr)
    kept = filter(ex.args) do path
        root = import_root(path)
        root === :. || is_available(root) || (push!(broom.imports, String(root)); false)
    end
    isempty(kept) && return nothing
    return Expr(ex.head, Any[from_home(broom, path) for path in kept]...)
end

# `using Main.M`: the candidate's module stands in Main's place, and imports find it only by its dots.
function from_home(broom::Broom, @nospecialize(path))
    path isa Expr || return path
    path.head === :. && length(path.args) > 1 && path.args[1] === :Main &&
        return Expr(:., fill(:., broom.depth + 1)..., path.args[2:end]...)
    return path.head in (:(:), :as) ? Expr(path.head, from_home(broom, path.args[1]), path.args[2:end]...) : path
end

function import_root(@nospecialize(path))
    path isa Symbol && return path
    path isa Expr && path.head in (:., :(:), :as) && !isempty(path.args) && return import_root(path.args[1])
    return :.      # a shape this file does not know is left to Julia
end

# Packages a candidate may load. Looked up once; a package that appears later is found by asking Julia.
const STANDARD_LIBRARY = Tuple(Symbol.(readdir(Sys.STDLIB)))
is_available(root::Symbol) = root in (:Base, :Core, :Main) || root in STANDARD_LIBRARY ||
    Base.find_package(String(root)) !== nothing

is_pkg_call(ex::Expr) = ex.head === :call && ex.args[1] isa Expr && ex.args[1].head === :. && ex.args[1].args[1] === :Pkg

"`@test`, `Test.@test`, or the name behind a GlobalRef."
function macro_name(ex::Expr)
    name = ex.args[1]
    name isa Symbol && return name
    name isa GlobalRef && return name.name
    if name isa Expr && name.head === :. && name.args[end] isa QuoteNode && name.args[end].value isa Symbol
        return name.args[end].value
    end
    return Symbol("")
end
