# What a Julia says about itself, one fact per line: a name, a tab, values separated by tabs.
# Runs on 1.5 to 1.12 and loads Pkg only for its TOML reader.
import Pkg

fact(name, values...) = println(join((name, values...), '\t'))

"Versions by package name, from a manifest of either format."
function manifest_entries(project_file)
    path = Base.project_file_manifest_path(project_file)
    (path === nothing || !isfile(path)) && return path, Dict{String,Any}()
    manifest = Pkg.TOML.parsefile(path)
    return path, get(manifest, "deps", manifest)
end

"Report the packages of one environment, and where those under development lie."
function describe_environment(project_file)
    fact("witness", project_file)
    isfile(project_file) || return
    fact("environment", project_file)
    manifest_path, entries = manifest_entries(project_file)
    if manifest_path !== nothing
        fact("witness", manifest_path)
        fact("environment", manifest_path)
    end
    for (name, found) in entries
        found isa Vector || continue
        for entry in found
            haskey(entry, "path") && fact("developed", abspath(dirname(manifest_path), entry["path"]))
        end
    end
    for name in sort!(collect(keys(get(Pkg.TOML.parsefile(project_file), "deps", Dict()))))
        source = Base.find_package(name)
        source === nothing && continue
        found = get(entries, name, [])
        fact("package", name, isempty(found) ? "" : get(found[1], "version", ""), source)
    end
end

fact("version", VERSION)
fact("bindir", Sys.BINDIR)
fact("executable", joinpath(Sys.BINDIR, Base.julia_exename()))
fact("image", unsafe_string(Base.JLOptions().image_file))
fact("stdlib", Sys.STDLIB)
for relative in (Base.DATAROOTDIR, Base.SYSCONFDIR, Base.LIBDIR, Base.PRIVATE_LIBDIR, Base.LIBEXECDIR)
    folder = normpath(Sys.BINDIR, relative)
    fact("folder", basename(folder) == "julia" ? folder : joinpath(folder, "julia"))
end
for name in ("LD_LIBRARY_PATH", "JULIA_BINDIR")
    haskey(ENV, name) && fact("variable", name, ENV[name])
end
foreach(depot -> fact("depot", depot), DEPOT_PATH)
for entry in Base.load_path()
    fact("load", entry)
    endswith(entry, ".toml") && describe_environment(entry)
end
println("end")
