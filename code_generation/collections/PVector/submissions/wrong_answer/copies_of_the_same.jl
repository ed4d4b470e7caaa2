# A filter that keeps everything copies it.
# A tree that is balanced by height, with short vectors as its leaves. No leaf and no node is ever changed.
const WIDTH = 32

mutable struct Leaf{T}
    items::Vector{T}
end
mutable struct Node{T}
    left::Union{Leaf{T},Node{T}}
    right::Union{Leaf{T},Node{T}}
    count::Int
    height::Int
end
const Tree{T} = Union{Leaf{T},Node{T}}

count_of(t::Leaf) = length(t.items)
count_of(t::Node) = t.count
height_of(t::Leaf) = 0
height_of(t::Node) = t.height
node(l::Tree{T}, r::Tree{T}) where {T} = Node{T}(l, r, count_of(l) + count_of(r), 1 + max(height_of(l), height_of(r)))

# Both trees as one, with heights that differ by no more than two.
function balanced(l::Tree{T}, r::Tree{T}) where {T}
    if height_of(l) > height_of(r) + 1
        height_of(l.left) >= height_of(l.right) && return node(l.left, node(l.right, r))
        return node(node(l.left, l.right.left), node(l.right.right, r))
    elseif height_of(r) > height_of(l) + 1
        height_of(r.right) >= height_of(r.left) && return node(node(l, r.left), r.right)
        return node(node(l, r.left.left), node(r.left.right, r.right))
    end
    return node(l, r)
end

# Both trees as one, of any heights.
function linked(l::Tree{T}, r::Tree{T})::Tree{T} where {T}
    count_of(l) == 0 && return r
    count_of(r) == 0 && return l
    if l isa Leaf{T} && r isa Leaf{T}
        return count_of(l) + count_of(r) <= WIDTH ? Leaf{T}([l.items; r.items]) : node(l, r)
    end
    (r isa Leaf{T} || height_of(l) > height_of(r) + 1) && return balanced(l.left, linked(l.right, r))
    (l isa Leaf{T} || height_of(r) > height_of(l) + 1) && return balanced(linked(l, r.left), r.right)
    return node(l, r)
end

# The part from i to j.
function part(t::Tree{T}, i, j)::Tree{T} where {T}
    i == 1 && j == count_of(t) && return t
    j < i && return Leaf{T}(T[])
    t isa Leaf{T} && return Leaf{T}(t.items[i:j])
    n = count_of(t.left)
    j <= n && return part(t.left, i, j)
    i > n && return part(t.right, i - n, j - n)
    return linked(part(t.left, i, n), part(t.right, 1, j - n))
end

function replaced(t::Tree{T}, i, x::T)::Tree{T} where {T}
    if t isa Leaf{T}
        items = copy(t.items)
        items[i] = x
        return Leaf{T}(items)
    end
    n = count_of(t.left)
    return i <= n ? node(replaced(t.left, i, x), t.right) : node(t.left, replaced(t.right, i - n, x))
end

function tree(items::Vector{T}, i, j)::Tree{T} where {T}
    j - i < WIDTH && return Leaf{T}(items[i:j])
    middle = (i + j) >> 1
    return node(tree(items, i, middle), tree(items, middle + 1, j))
end

struct PVector{T} <: AbstractVector{T}
    root::Union{Leaf{T},Node{T}}
    PVector{T}(root::Union{Leaf{T},Node{T}}) where {T} = new{T}(root)
end

PVector{T}() where {T} = PVector{T}(Leaf{T}(T[]))
function PVector{T}(xs) where {T}
    items = T[x for x in xs]
    return PVector{T}(tree(items, 1, length(items)))
end
PVector{T}(v::PVector{T}) where {T} = v
PVector(v::PVector) = v
function PVector(xs)
    items = collect(xs)
    return PVector{eltype(items)}(items)
end
Base.convert(::Type{PVector{T}}, v::PVector{T}) where {T} = v
Base.convert(::Type{PVector{T}}, v::AbstractVector) where {T} = PVector{T}(v)

Base.size(v::PVector) = (count_of(v.root),)
Base.IndexStyle(::Type{<:PVector}) = IndexLinear()
@inline function Base.getindex(v::PVector{T}, i::Int) where {T}
    @boundscheck checkbounds(v, i)
    t = v.root
    while t isa Node{T}
        n = count_of(t.left)
        if i <= n
            t = t.left
        else
            t = t.right
            i -= n
        end
    end
    return (t::Leaf{T}).items[i]
end
Base.getindex(v::PVector, ::Colon) = v
Base.getindex(v::PVector, r::AbstractUnitRange{<:Integer}) = slice(v, r)
Base.getindex(v::PVector, I::AbstractVector) = PVector{eltype(v)}(invoke(getindex, Tuple{AbstractArray,Vararg{Any}}, v, I))
Base.getindex(v::PVector, I::AbstractVector{Bool}) = PVector{eltype(v)}(invoke(getindex, Tuple{AbstractArray,Vararg{Any}}, v, I))
function slice(v::PVector{T}, r) where {T}
    checkbounds(v, r)
    return isempty(r) ? PVector{T}() : PVector{T}(part(v.root, Int(first(r)), Int(last(r))))
end
Base.copy(v::PVector) = v

push(v::PVector{T}, x) where {T} = PVector{T}(linked(v.root, Leaf{T}(T[x])))
function pop(v::PVector)
    isempty(v) && throw(ArgumentError("the vector is empty"))
    return slice(v, 1:length(v)-1)
end
function assoc(v::PVector{T}, i::Integer, x) where {T}
    checkbounds(v, i)
    y = convert(T, x)
    return y === v[i] ? v : PVector{T}(replaced(v.root, i, y))
end
function insert(v::PVector{T}, i::Integer, x) where {T}
    1 <= i <= length(v) + 1 || throw(BoundsError(v, i))
    before, after = part(v.root, 1, i - 1), part(v.root, i, length(v))
    return PVector{T}(linked(linked(before, Leaf{T}(T[x])), after))
end
function without(v::PVector{T}, i::Integer) where {T}
    checkbounds(v, i)
    return PVector{T}(linked(part(v.root, 1, i - 1), part(v.root, i + 1, length(v))))
end
function Base.vcat(v::PVector, ws::PVector...)
    T = mapreduce(eltype, promote_type, ws; init = eltype(v))
    return joined(T, v, ws)
end
joined(::Type{T}, v, ws) where {T} = foldl((a, b) -> PVector{T}(linked(a.root, PVector{T}(b).root)), ws; init = PVector{T}(v))

Base.map(f, v::PVector, ws::PVector...) = PVector(map(f, collect(v), map(collect, ws)...))
function Base.filter(f, v::PVector{T}) where {T}
    kept = filter(f, collect(v))
    return PVector{T}(kept)
end
Base.reverse(v::PVector{T}) where {T} = PVector{T}(reverse(collect(v)))
Base.sort(v::PVector{T}; options...) where {T} = PVector{T}(sort(collect(v); options...))

struct PersistentStyle <: Broadcast.AbstractArrayStyle{1} end
PersistentStyle(::Val{N}) where {N} = N <= 1 ? PersistentStyle() : Broadcast.DefaultArrayStyle{N}()
Base.BroadcastStyle(::Type{<:PVector}) = PersistentStyle()
Base.BroadcastStyle(s::PersistentStyle, ::Broadcast.DefaultArrayStyle{0}) = s
Base.BroadcastStyle(::PersistentStyle, s::Broadcast.DefaultArrayStyle) = s
Base.copy(bc::Broadcast.Broadcasted{PersistentStyle}) = PVector(copy(convert(Broadcast.Broadcasted{Broadcast.DefaultArrayStyle{1}}, bc)))
