# Recursion from the last stage, with explicit take! and end marks of its own.
struct Finished end
struct Failed
    exception::Any
end
function run_stages(source, stages...; capacity::Integer = 1)
    capacity < 1 && throw(ArgumentError("capacity"))
    links = [Channel{Any}(capacity) for _ in 0:length(stages)]
    stop_all() = foreach(close, links[1:end-1])
    @async begin
        mark = Finished()
        try
            for x in source
                isopen(links[1]) || break
                send(links[1], x) || break
            end
        catch e
            mark = Failed(e)
        end
        hand_on(links, 1, mark)
    end
    for (i, stage) in enumerate(stages)
        @async begin
            while true
                x = receive(links[i])
                if x isa Failed || x isa Finished
                    hand_on(links, i + 1, x)
                    break
                end
                y = try
                    Some(stage(x))
                catch e
                    hand_on(links, i + 1, Failed(e))
                    break
                end
                send(links[i + 1], something(y)) || break
            end
            stop_before(links, i)
        end
    end
    return links[end]
end
send(link, x) = try
    put!(link, x)
    true
catch
    false
end
receive(link) = try
    take!(link)
catch
    Finished()
end
function hand_on(links, i, mark)
    if i < length(links)
        send(links[i], mark)
    else
        mark isa Failed ? close(links[i], mark.exception) : close(links[i])
    end
end
stop_before(links, i) = foreach(close, links[1:i])
