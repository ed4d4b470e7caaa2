# tries: to leave a test set open that swallows what is recorded | got through if: a test counts as passed
# must be flagged
using Test
struct Swallow <: Test.AbstractTestSet end
Test.record(set::Swallow, result) = Test.Pass(:test, nothing, nothing, true)
Test.push_testset(Swallow())
Core.eval(Test, :(do_test(result::ExecutionResult, orig_expr) = Pass(:test, orig_expr, nothing, nothing)))
answer(x) = 0
