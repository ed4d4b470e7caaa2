# The Julia side of the sandbox. Julia 1.5 to 1.12; it needs nothing but the standard library.
#
#   posix.jl      system calls, one small function per concern
#   wire.jl       lists of byte strings on a file descriptor
#   inherited.jl  kernel objects a forked child must not share with its siblings
#   isolate.jl    what a child gives up before it runs a stranger's code
#   parsing.jl    text -> expressions, with lines
#   selection.jl  the blocks of an answer -> candidates
#   cleanup.jl    a candidate without its imports of absent packages and its own tests
#   values.jl     what may be trusted and how it is shown
#   codec.jl      values as bytes, and back, checked
#   checks.jl     `@test` and its family, decided by the judge and not by the candidate
#   shadows.jl    names of Julia's that the candidate took, as the tests mean them
#   tampering.jl  a look at what the candidate changed outside its own module
#   split.jl      a unit test taken apart: the candidate's part, and the referee's
#   judge.jl      one job, from the blocks of an answer to frames
#   measuring.jl  how fast a candidate is, beside the reference solution
#   server.jl     the fork server and the single run
#   asking.jl     the candidate's part of a test: it sends values, and waits
#   referee.jl    the process that decides about them, and holds no candidate
#   rehearsal.jl  everything a child does, done once before the first fork
#   toolbox.jl    what answers are made of, for a server that has many to judge
#
# Text and plain data cross the border, never objects; verdicts never travel on the candidate's stdout.
module Codejury

using Dates, LinearAlgebra, Printf, Random, Statistics, Test
using SHA: hmac_sha256

include("posix.jl")
include("wire.jl")
include("inherited.jl")
include("isolate.jl")
include("parsing.jl")
include("selection.jl")
include("cleanup.jl")
include("values.jl")
include("codec.jl")
include("checks.jl")
include("shadows.jl")
include("tampering.jl")
include("split.jl")
include("judge.jl")
include("measuring.jl")
include("server.jl")
include("asking.jl")
include("referee.jl")
include("rehearsal.jl")
include("toolbox.jl")

# What is true of this process, and perhaps not of the one that compiled the judge in advance.
function __init__()
    append!(FIRST_STREAMS, IOStream[bare(stream) for stream in (stdout, stderr) if bare(stream) isa IOStream])
    LOOKING_UP_SETTLES[] = looking_up_settles()
end

# Where this file is compiled in advance: what is found out about these, and all that they call, is kept.
if ccall(:jl_generating_output, Cint, ()) == 1
    precompile(main, (Vector{String},))
    precompile(Watchlist, ())
    precompile(rehearse, (Watchlist,))
    precompile(judge, (Channel, Cint, Job, Watchlist))
    precompile(judge, (Channel, Cint, Job, Watchlist, Modules))
    precompile(referee, (Settings,))
    precompile(find_inherited, (Vector{Cint},))
    precompile(serve, (Settings, Watchlist))
    precompile(run_once, (Settings, Watchlist))
end

end
