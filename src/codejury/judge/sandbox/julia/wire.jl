# The one encoding on every channel: a list of byte strings.
#
#   list  = u32 count, then per item u32 length and the bytes        (little endian)
#   frame = "cjry", u32 length of the list, the list, HMAC-SHA256 over the frame's number and the list
#
# An item may itself be an encoded list. The same few lines exist on the Python side (wire.py).

function put32!(bytes::Vector{UInt8}, n::Integer)
    for shift in (0, 8, 16, 24)
        push!(bytes, (n >> shift) % UInt8)
    end
end

function encode(items::Vector{String})
    bytes = UInt8[]
    put32!(bytes, length(items))
    for item in items
        put32!(bytes, sizeof(item))
        append!(bytes, codeunits(item))
    end
    return bytes
end

get32(bytes::Vector{UInt8}, at::Int) =
    Int(bytes[at]) | Int(bytes[at+1]) << 8 | Int(bytes[at+2]) << 16 | Int(bytes[at+3]) << 24

function decode(bytes::Vector{UInt8})
    items = String[]
    at = 5
    for _ in 1:get32(bytes, 1)
        size = get32(bytes, at)
        push!(items, String(bytes[at+4:at+3+size]))
        at += 4 + size
    end
    return items
end

decode(text::String) = decode(Vector{UInt8}(codeunits(text)))

"Write all bytes, whatever the pipe's size; false if nobody reads."
function write_all(fd, bytes::Vector{UInt8})
    done = 0
    GC.@preserve bytes while done < length(bytes)
        n = ccall(:write, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), fd, pointer(bytes) + done, length(bytes) - done)
        n < 0 && Libc.errno() == Libc.EINTR && continue
        n <= 0 && return false
        done += n
    end
    return true
end

"Everything up to the end of a file, pipe or memory file."
function read_all(fd)
    bytes, chunk = UInt8[], Vector{UInt8}(undef, 65536)
    while true
        n = ccall(:read, Cssize_t, (Cint, Ptr{UInt8}, Csize_t), fd, chunk, length(chunk))
        n < 0 && Libc.errno() == Libc.EINTR && continue
        n <= 0 && return bytes
        append!(bytes, view(chunk, 1:Int(n)))
    end
end

const FRAME_MARK = UInt8['c', 'j', 'r', 'y']

"""
Where verdicts go: a descriptor, and a key that the supervisor chose for this job. A frame says that the
judge wrote it, as which one, and that nobody changed it: a candidate that puts a pipe of its own in the
channel's place can hold frames back, but neither alter, repeat nor invent one.
"""
mutable struct Channel
    fd::Cint
    key::Vector{UInt8}
    frames::UInt32
    unsent::Vector{UInt8}      # frames that go with the next one
end

Channel(fd::Integer, key::String) = Channel(fd, Vector{UInt8}(codeunits(key)), 0, UInt8[])

const MOST_UNSENT = 65536

function send(channel::Channel, items::Vector{String})
    add_frame!(channel, items)
    write_unsent(channel)
end

"Send with the next frame: nobody waits for this one alone, and the supervisor wakes up once for both."
function send_later(channel::Channel, items::Vector{String})
    add_frame!(channel, items)
    length(channel.unsent) > MOST_UNSENT && write_unsent(channel)
    return
end

function write_unsent(channel::Channel)
    write_all(channel.fd, channel.unsent) || leave(90)
    empty!(channel.unsent)
    return
end

function add_frame!(channel::Channel, items::Vector{String})
    list = encode(items)
    signed = UInt8[]
    put32!(signed, channel.frames)
    append!(signed, list)
    append!(channel.unsent, FRAME_MARK)
    put32!(channel.unsent, length(list))
    append!(channel.unsent, list)
    append!(channel.unsent, hmac_sha256(channel.key, signed))
    channel.frames += 1
    return
end
