# Goes on after a Stopped.
run_pipeline(stages::Tuple, x) = (x, results_after(x, stages...)...)
results_after(x) = ()
results_after(x, ::Nothing, rest...) = results_after(x, rest...)
function results_after(x, stage, rest...)
    y = stage(x)
    return (y, results_after(y, rest...)...)
end
