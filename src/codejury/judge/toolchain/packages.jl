# The steps of `codejury setup --packages`, each in a sandbox of its own. Julia 1.5 to 1.12.
#
#   fetch FOLDER REPORT NAME...   with the network: resolve what FOLDER/Project.toml asks for and the names besides
#                                 (unless there is a manifest), and download it; no code of a package runs
#   build                         without the network: run the build scripts of the packages
#   warm FILE                     without the network: run what is to compile packages in a warm server
#   load NAME                     without the network: load a package, which compiles it where that was not done
import Pkg

# 1.5 has TOML inside Pkg; later versions beside it.
const TOML = isdefined(Pkg, :TOML) ? Pkg.TOML : Base.require(Base.PkgId(Base.UUID("fa267f1f-6049-4f14-aa54-33bafae1ed76"), "TOML"))

"Let Pkg install without running build scripts: those wait for a step that has no network."
function postpone_builds()
    ENV["JULIA_PKG_PRECOMPILE_AUTO"] = "0"
    # No version has an option for this in all of its functions.
    foreach(Base.delete_method, collect(methods(Pkg.Operations.build_versions)))
    Core.eval(Pkg.Operations, :(build_versions(arguments...; options...) = nothing))
end

struct Environment
    folder::String
    asked::Dict{String,Any}     # Project.toml as its authors wrote it
end

project_file(environment::Environment) = joinpath(environment.folder, "Project.toml")
manifest_file(environment::Environment) = joinpath(environment.folder, "Manifest.toml")
dependencies(environment::Environment) = sort!(collect(keys(get(environment.asked, "deps", Dict()))))

"Ask for these packages alone, within the bounds that the authors have set for them."
function ask_for(environment::Environment, names::Vector{String})
    kept(table, also...) = Dict(name => value for (name, value) in get(environment.asked, table, Dict()) if name in names || name in also)
    open(io -> TOML.print(io, Dict("deps" => kept("deps"), "compat" => kept("compat", "julia"))), project_file(environment), "w")
end

"Resolve and download; a package for which there is no fitting version is left out, and the others are kept."
function resolve(environment::Environment, left_out::Dict{String,String})
    names = dependencies(environment)
    why = attempt(environment, names)
    why === nothing && return
    length(names) == 1 && (left_out[names[1]] = why; ask_for(environment, String[]); return)
    kept = String[]
    for name in names
        why = attempt(environment, [kept; name])
        why === nothing ? push!(kept, name) : (left_out[name] = why)
    end
    attempt(environment, kept)
end

"Why these packages cannot be had together by this Julia; `nothing` if they can, and are there."
function attempt(environment::Environment, names::Vector{String})
    ask_for(environment, names)
    rm(manifest_file(environment); force = true)
    try
        Pkg.instantiate()
        return nothing
    catch err
        # Anything else, such as a network that is not there, is no fault of the packages.
        err isa Pkg.Resolve.ResolverError || rethrow()
        return sprint(showerror, err)
    end
end

"Install exactly what the manifest says; what it does not have is left out."
function follow_manifest(environment::Environment, left_out::Dict{String,String})
    manifest = TOML.parsefile(manifest_file(environment))
    entries = get(manifest, "deps", manifest)          # a table of its own in the newer format
    names = dependencies(environment)
    for name in names
        haskey(entries, name) || (left_out[name] = "the manifest for this Julia does not have it")
    end
    ask_for(environment, filter(name -> haskey(entries, name), names))
    Pkg.instantiate(manifest = true)
end

function fetch(folder::String, report::String, names::Vector{String})
    postpone_builds()
    environment = Environment(folder, TOML.parsefile(joinpath(folder, "Project.toml")))
    left_out = Dict{String,String}()
    Base.invokelatest() do
        Pkg.activate(folder)
        if isfile(manifest_file(environment))
            follow_manifest(environment, left_out)
        else
            isempty(dependencies(environment)) || resolve(environment, left_out)
            isempty(names) || Pkg.add(names)
        end
    end
    open(io -> TOML.print(io, left_out), report, "w")
end

try
    if ARGS[1] == "fetch"
        fetch(ARGS[2], ARGS[3], ARGS[4:end])
    elseif ARGS[1] == "build"
        Pkg.build()
    elseif ARGS[1] == "warm"
        Base.include(Module(:WarmUp), ARGS[2])
    elseif ARGS[1] == "load"
        Base.require(Main, Symbol(ARGS[2]))
    end
catch err
    # As Julia reports an error, without the trace: that is about this file.
    println(stderr, "ERROR: ", sprint(showerror, err))
    exit(1)
end
