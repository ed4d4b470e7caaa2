# A key is only converted when it is set.
# The pairs are in a tree that is balanced by height, and whose nodes never change: a copy shares them.
mutable struct TreeNode{K,V}
    left::Union{Nothing,TreeNode{K,V}}
    key::K
    value::V
    right::Union{Nothing,TreeNode{K,V}}
    count::Int
    height::Int
end

count_of(::Nothing) = 0
count_of(t::TreeNode) = t.count
height_of(::Nothing) = 0
height_of(t::TreeNode) = t.height
node(::Type{K}, ::Type{V}, l, key, value, r) where {K,V} = TreeNode{K,V}(l, key, value, r, count_of(l) + 1 + count_of(r), 1 + max(height_of(l), height_of(r)))
like(::TreeNode{K,V}, l, m, r) where {K,V} = node(K, V, l, m.key, m.value, r)

# A balanced tree of two others with the pair of m between, of any heights.
function joined(l, m::TreeNode{K,V}, r)::TreeNode{K,V} where {K,V}
    if height_of(l) > height_of(r) + 1
        return balanced(l.left, l, joined(l.right, m, r))
    elseif height_of(r) > height_of(l) + 1
        return balanced(joined(l, m, r.left), r, r.right)
    end
    return like(m, l, m, r)
end
# The same if heights differ by no more than two.
function balanced(l, m::TreeNode{K,V}, r)::TreeNode{K,V} where {K,V}
    if height_of(l) > height_of(r) + 1
        height_of(l.left) >= height_of(l.right) && return like(m, l.left, l, like(m, l.right, m, r))
        return like(m, like(m, l.left, l, l.right.left), l.right, like(m, l.right.right, m, r))
    elseif height_of(r) > height_of(l) + 1
        height_of(r.right) >= height_of(r.left) && return like(m, like(m, l, m, r.left), r, r.right)
        return like(m, like(m, l, m, r.left.left), r.left, like(m, r.left.right, r, r.right))
    end
    return like(m, l, m, r)
end
function joined(l, r)
    l === nothing && return r
    r === nothing && return l
    m = node_at(r, 1)
    return joined(l, m, last_part(r, count_of(r) - 1))
end

function node_at(t, i)
    while true
        n = count_of(t.left)
        i == n + 1 && return t
        t, i = i <= n ? (t.left, i) : (t.right, i - n - 1)
    end
end
# The first and the last so many pairs.
function first_part(t, n)
    n == 0 && return nothing
    n == t.count && return t
    l = count_of(t.left)
    return n <= l ? first_part(t.left, n) : joined(t.left, t, first_part(t.right, n - l - 1))
end
function last_part(t, n)
    n == 0 && return nothing
    n == t.count && return t
    r = count_of(t.right)
    return n <= r ? last_part(t.right, n) : joined(last_part(t.left, n - r - 1), t, t.right)
end

# How many keys are before k; with_equal counts one that is equal, too.
function count_before(t, k, with_equal = false)
    n = 0
    while t !== nothing
        if with_equal ? !isless(k, t.key) : isless(t.key, k)
            n += count_of(t.left) + 1
            t = t.right
        else
            t = t.left
        end
    end
    return n
end

mutable struct SortedMap{K,V} <: AbstractDict{K,V}
    root::Union{Nothing,TreeNode{K,V}}
    SortedMap{K,V}() where {K,V} = new{K,V}(nothing)
    SortedMap{K,V}(root::Union{Nothing,TreeNode}) where {K,V} = new{K,V}(root)
end

function SortedMap{K,V}(pairs) where {K,V}
    d = SortedMap{K,V}()
    for (k, v) in pairs
        d[k] = v
    end
    return d
end
SortedMap{K,V}(pairs::Pair...) where {K,V} = SortedMap{K,V}(pairs)
# The types are those of a Dict.
SortedMap(pairs) = of_dict(Dict(pairs), pairs)
SortedMap(pairs::Pair...) = of_dict(Dict(pairs...), pairs)
SortedMap() = SortedMap{Any,Any}()
of_dict(d::Dict{K,V}, pairs) where {K,V} = SortedMap{K,V}(d)

struct MapView{K,V,L,H} <: AbstractDict{K,V}
    map::SortedMap{K,V}
    low::L
    high::H
end
const Sorted{K,V} = Union{SortedMap{K,V},MapView{K,V}}

between(d::SortedMap{K,V}, low, high) where {K,V} = MapView{K,V,typeof(low),typeof(high)}(d, low, high)
between(v::MapView, low, high) = between(v.map, isless(low, v.low) ? v.low : low, isless(v.high, high) ? v.high : high)

base(d::SortedMap) = d
base(v::MapView) = v.map
inside(::SortedMap, k) = true
inside(v::MapView, k) = !isless(k, v.low) && !isless(v.high, k)
# The numbers of the first pair and of the last one.
limits(d::SortedMap) = (1, count_of(d.root))
function limits(v::MapView)
    first = count_before(v.map.root, v.low) + 1
    return first, max(count_before(v.map.root, v.high, true), first - 1)
end

# A key of the type of the keys that is equal, or nothing.
as_key(::Type{K}, k::K) where {K} = Some(k)
function as_key(::Type{K}, k) where {K}
    converted = try
        convert(K, k)
    catch
        return nothing
    end
    return isequal(converted, k) ? Some(converted) : nothing
end

function find_node(d::Sorted{K,V}, k) where {K,V}
    s = as_key(K, k)
    s === nothing && return nothing
    key = something(s)
    inside(d, key) || return nothing
    t = base(d).root
    while t !== nothing
        if isless(key, t.key)
            t = t.left
        elseif isless(t.key, key)
            t = t.right
        else
            return t
        end
    end
    return nothing
end

Base.length(d::Sorted) = (l = limits(d); l[2] - l[1] + 1)
Base.isempty(d::Sorted) = length(d) == 0
Base.haskey(d::Sorted, k) = find_node(d, k) !== nothing
function Base.getindex(d::Sorted, k)
    t = find_node(d, k)
    t === nothing && throw(KeyError(k))
    return t.value
end
function Base.get(d::Sorted, k, default)
    t = find_node(d, k)
    return t === nothing ? default : t.value
end
function Base.get(f::Union{Function,Type}, d::Sorted, k)
    t = find_node(d, k)
    return t === nothing ? f() : t.value
end
function Base.get!(f::Union{Function,Type}, d::Sorted{K,V}, k) where {K,V}
    t = find_node(d, k)
    t === nothing || return t.value
    value = convert(V, f())
    d[k] = value
    return value
end
Base.get!(d::Sorted, k, default) = get!(() -> default, d, k)

function Base.setindex!(d::Sorted{K,V}, value, k) where {K,V}
    key = convert(K, k)

    inside(d, key) || throw(ArgumentError("$k is outside the bounds of the view"))
    m, t = node(K, V, nothing, key, convert(V, value), nothing), base(d).root
    n = count_before(t, key)
    before, after = first_part(t, n), last_part(t, count_of(t) - count_before(t, key, true))
    base(d).root = joined(before, m, after)
    return d
end

# Without the pairs with these numbers.
function cut!(d::SortedMap, i, j)
    t = d.root
    d.root = joined(first_part(t, i - 1), last_part(t, count_of(t) - j))
    return d
end
function Base.delete!(d::Sorted, k)
    t = find_node(d, k)
    t === nothing && return d
    n = count_before(base(d).root, t.key)
    cut!(base(d), n + 1, n + 1)
    return d
end
function Base.pop!(d::Sorted, k)
    value = d[k]
    delete!(d, k)
    return value
end
function Base.pop!(d::Sorted, k, default)
    t = find_node(d, k)
    t === nothing && return default
    delete!(d, k)
    return t.value
end
function take!(d, from_end)
    i, j = limits(d)
    i > j && throw(ArgumentError("there is no pair"))
    n = from_end ? j : i
    t = node_at(base(d).root, n)
    cut!(base(d), n, n)
    return t.key => t.value
end
Base.pop!(d::Sorted) = take!(d, true)
Base.popfirst!(d::Sorted) = take!(d, false)
function Base.empty!(d::Sorted)
    i, j = limits(d)
    i <= j && cut!(base(d), i, j)
    return d
end
Base.empty(::Sorted, ::Type{K}, ::Type{V}) where {K,V} = SortedMap{K,V}()
Base.copy(d::SortedMap{K,V}) where {K,V} = SortedMap{K,V}(d.root)
function Base.copy(v::MapView{K,V}) where {K,V}
    i, j = limits(v)
    return SortedMap{K,V}(i > j ? nothing : last_part(first_part(v.map.root, j), j - i + 1))
end
# Base would make a Dict.
function merged_types(d::Sorted{K,V}, others) where {K,V}
    T, U = mapreduce(keytype, promote_type, others; init = K), mapreduce(valtype, promote_type, others; init = V)
    return T === K && U === V ? copy(d) : SortedMap{T,U}(d)
end
Base.merge(d::Sorted, others::AbstractDict...) = merge!(merged_types(d, others), others...)
Base.merge(combine::Function, d::Sorted, others::AbstractDict...) = mergewith(combine, d, others...)
Base.mergewith(combine, d::Sorted, others::AbstractDict...) = mergewith!(combine, merged_types(d, others), others...)

Base.filter(f, d::Sorted) = filter!(f, copy(d))
function Base.filter!(f, d::Sorted)
    for pair in d
        f(pair) || delete!(d, pair.first)
    end
    return d
end

function nth(d::Sorted, n::Integer)
    i, j = limits(d)
    1 <= n <= j - i + 1 || throw(BoundsError(d, n))
    t = node_at(base(d).root, i + n - 1)
    return t.key => t.value
end
function rank(d::Sorted, k)
    i, j = limits(d)
    return clamp(count_before(base(d).root, k) - i + 1, 0, j - i + 1)
end
function end_of(d, from_end)
    isempty(d) && throw(ArgumentError("there is no pair"))
    return nth(d, from_end ? length(d) : 1)
end
Base.first(d::Sorted) = end_of(d, false)
Base.last(d::Sorted) = end_of(d, true)

# The state is the tree as it was at the beginning, and the numbers of the next and the last pair.
function Base.iterate(d::Sorted, state = (base(d).root, limits(d)...))
    root, i, j = state
    i > j && return nothing
    t = node_at(root, i)
    return t.key => t.value, (root, i + 1, j)
end
function Base.iterate(r::Iterators.Reverse{<:Sorted}, state = (base(r.itr).root, limits(r.itr)...))
    root, i, j = state
    i > j && return nothing
    t = node_at(root, j)
    return t.key => t.value, (root, i, j - 1)
end
