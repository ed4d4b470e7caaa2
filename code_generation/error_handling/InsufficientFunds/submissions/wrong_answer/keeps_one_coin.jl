# An account cannot be emptied.
struct InsufficientFunds <: Exception
    name::String
    balance::Int
    requested::Int
end

function Base.showerror(io::IO, err::InsufficientFunds)
    short = err.requested - err.balance
    print(io, "InsufficientFunds: $(err.name) has $(err.balance), but $(err.requested) were requested ($short short)")
end

function check(balances, names, amount)
    amount > 0 || throw(ArgumentError("the amount must be positive, got $amount"))
    for name in names
        haskey(balances, name) || throw(KeyError(name))
    end
    balance = balances[first(names)]
    balance > amount || throw(InsufficientFunds(first(names), balance, amount))
end

function withdraw!(balances::AbstractDict, name::AbstractString, amount::Integer)
    check(balances, (name,), amount)
    return balances[name] -= amount
end

function transfer!(balances::AbstractDict, from::AbstractString, to::AbstractString, amount::Integer)
    check(balances, (from, to), amount)
    balances[from] -= amount
    balances[to] += amount
    return balances
end
