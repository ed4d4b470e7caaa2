# A condition and a counter instead of a channel.
function first_success(fs)
    list = Any[f for f in fs]
    n = length(list)
    n == 0 && throw(ArgumentError("nothing to call"))
    winner = Ref{Any}(nothing)
    failures = Dict{Int, Any}()
    changed = Condition()
    for i in 1:n
        @async begin
            answer = try
                Some(list[i]())
            catch e
                failures[i] = e
                nothing
            end
            if winner[] === nothing && answer !== nothing
                winner[] = answer
            end
            notify(changed)
        end
    end
    while winner[] === nothing && length(failures) < n
        wait(changed)
    end
    winner[] === nothing || return something(winner[])
    throw(CompositeException([failures[i] for i in 1:n]))
end
