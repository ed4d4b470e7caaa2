# The one encoding on every channel: a list of byte strings.
#
#   list  = u32 count, then per item u32 length and the bytes        (little endian)
#   frame = nonce, u32 length of the list, the list
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

"Where verdicts go: a descriptor and the nonce that proves a frame is the judge's."
struct Channel
    fd::Cint
    nonce::String
end

function send(channel::Channel, items::Vector{String})
    list = encode(items)
    frame = Vector{UInt8}(codeunits(channel.nonce))
    put32!(frame, length(list))
    append!(frame, list)
    write_all(channel.fd, frame) || leave(90)
    return
end
