# The script that a worker runs: worker.jl DEPOT [MODE CONTROL]
#
#   DEPOT     where the judge lies compiled in advance (see compiled.py); "" to read it as it is
#   MODE      serve: the fork server, warm up once, then one forked child per job
#             once: judge a single job in this very process, then end
#             measure: as serve, for jobs that measure, with Julia's optimizer on
#             without one, the judge is loaded and that is all
#   CONTROL   the descriptor of the supervisor's socket

# From 1.9 on, what was compiled without the optimizer is refused with it.
if !isempty(ARGS[1]) && (VERSION < v"1.9" || Base.JLOptions().opt_level == 0)
    pushfirst!(DEPOT_PATH, ARGS[1])
    pushfirst!(LOAD_PATH, @__DIR__)
    try
        import Codejury
    catch err
        @warn "the judge's compiled code is of no use" err
    end
    # A candidate must find neither.
    popfirst!(LOAD_PATH)
    popfirst!(DEPOT_PATH)
end
isdefined(Main, :Codejury) || include("Codejury.jl")

length(ARGS) > 1 && Codejury.main(ARGS[2:end])
