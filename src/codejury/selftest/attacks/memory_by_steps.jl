# tries: to grow without end in a test, swallowing every error | got through if: the limit is not what ends it
# must not end as: errored, died
const HELD = Any[]
function answer(x)
    x == 4 || return 0
    while true
        try push!(HELD, fill(x, 2_000_000)) catch end
    end
end
