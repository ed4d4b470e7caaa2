# Drops every carriage return.
struct CsvError <: Exception
    line::Int
end

# States: at the :start of a field, in a :plain one, in a :quoted one, after a quote in it (:quote), which closes it
# unless another one follows, and after a "\r" in a plain field (:cr) or behind a closing quote (:closed).
mutable struct CsvParser
    state::Symbol
    field::Vector{UInt8}
    fields::Vector{String}
    line::Int                # of the next byte
    first_line::Int          # of the record
    pending::Bool            # whether there was a byte since the last line end
end

CsvParser() = CsvParser(:start, UInt8[], String[], 1, 1, false)

function feed!(parser::CsvParser, bytes::AbstractVector{UInt8})
    records = Vector{String}[]
    for byte in bytes
        step!(parser, byte) && push!(records, end_record!(parser))
    end
    return records
end

function finish!(parser::CsvParser)
    parser.state in (:quoted, :closed) && throw(CsvError(parser.first_line))
    parser.state == :cr && push!(parser.field, UInt8('\r'))
    return parser.pending ? [end_record!(parser)] : Vector{String}[]
end

# Takes one byte, and returns whether it ends the record.
function step!(parser, byte)
    parser.pending = true
    byte == UInt8('\n') && (parser.line += 1)
    if parser.state == :quoted
        byte == UInt8('"') ? (parser.state = :quote) : push!(parser.field, byte)
        return false
    elseif parser.state == :cr && byte != UInt8('\n')
        parser.state = :plain
    end
    if byte == UInt8('\n')
        return true
    elseif byte == UInt8('"') && parser.state in (:start, :quote)
        parser.state == :quote && push!(parser.field, byte)
        parser.state = :quoted
    elseif parser.state == :closed
        throw(CsvError(parser.first_line))
    elseif byte == UInt8(',')
        end_field!(parser)
    elseif byte == UInt8('\r')
        parser.state = parser.state == :quote ? :closed : :cr
    elseif parser.state == :quote
        throw(CsvError(parser.first_line))
    else
        push!(parser.field, byte)
        parser.state = :plain
    end
    return false
end

function end_field!(parser)
    push!(parser.fields, String(copy(parser.field)))
    empty!(parser.field)
    parser.state = :start
end

function end_record!(parser)
    end_field!(parser)
    record = parser.fields
    parser.fields = String[]
    parser.first_line = parser.line
    parser.pending = false
    return record
end
