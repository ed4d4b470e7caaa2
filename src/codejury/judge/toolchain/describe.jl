# What a Julia says about itself, one fact per line: a name, a tab, values separated by tabs.
# Runs on 1.5 and later, with --compiled-modules=no: it must write nothing, and is quick without.
import Libdl

fact(name, values...) = println(join((name, values...), '\t'))

# By these names 1.5 opens the libraries it comes with. Later versions have a package for each, named X_jll.
libraries_of_1_5() = (
    "libpcre2-8", "libgmp", "libmpfr", "libdSFMT", "libopenlibm", "libcholmod", "libspqr", "libumfpack",
    "libsuitesparse_wrapper", "libgit2", Base.libblas_name, Base.liblapack_name,
)

"Open what a package of a library opens only when it is first called."
function open_lazy_libraries(package)
    isdefined(Libdl, :LazyLibrary) || return
    for name in names(package; all = true)
        value = isdefined(package, name) ? getfield(package, name) : nothing
        value isa Libdl.LazyLibrary && Libdl.dlopen(value)
    end
end

"""
Open every library that Julia or its standard library may open by name while a candidate runs, wherever the
loader finds it: a distribution keeps most of them among its own. One that is missing is not our business.
"""
function open_libraries()
    "@stdlib" in LOAD_PATH || push!(LOAD_PATH, "@stdlib")
    packages = filter(name -> endswith(name, "_jll"), readdir(Sys.STDLIB))
    for name in packages
        try
            Base.invokelatest(open_lazy_libraries, Base.require(Main, Symbol(name)))
        catch
        end
    end
    isempty(packages) && foreach(name -> Libdl.dlopen(name; throw_error = false), libraries_of_1_5())
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
# Of the folders for packages, only Julia's own: it holds what was compiled of the standard libraries.
fact("depot", normpath(Sys.BINDIR, Base.DATAROOTDIR, "julia"))
open_libraries()
for path in Libdl.dllist()
    startswith(path, '/') && fact("library", normpath(path))
end
println("end")
