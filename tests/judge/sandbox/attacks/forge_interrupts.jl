# tries: to throw into the judge's task from another one, so that a test is abandoned half-way | got through if: a test counts as passed
const JUDGE = current_task()
function answer(x)
    @async schedule(JUDGE, InterruptException(); error = true)
    try wait() catch end
    @async throw(JUDGE)
    yield()
    return 0
end
