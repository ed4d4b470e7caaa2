# Calls each stage again for every result behind it.
run_pipeline(stages::Tuple, x) = x isa Stopped ? (x,) : (x, results_of(x, filtered(stages...)...)...)
filtered() = ()
filtered(::Nothing, rest...) = filtered(rest...)
filtered(stage, rest...) = (stage, filtered(rest...)...)
results_of(x) = ()
results_of(x, stage, rest...) = stage(x) isa Stopped ? (stage(x),) : (stage(x), results_of(stage(x), rest...)...)
