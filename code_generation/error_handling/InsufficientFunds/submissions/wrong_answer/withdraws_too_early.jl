# transfer! withdraws before it knows the other account.
struct InsufficientFunds <: Exception
    name::String
    balance::Int
    requested::Int
end
function Base.showerror(io::IO, e::InsufficientFunds)
    print(io, "InsufficientFunds: $(e.name) has $(e.balance), but $(e.requested) were requested ($(e.requested - e.balance) short)")
end
function withdraw!(balances::AbstractDict, name::AbstractString, amount::Integer)
    amount > 0 || throw(ArgumentError("the amount must be positive"))
    haskey(balances, name) || throw(KeyError(name))
    balances[name] >= amount || throw(InsufficientFunds(name, balances[name], amount))
    return balances[name] -= amount
end
function transfer!(balances::AbstractDict, from::AbstractString, to::AbstractString, amount::Integer)
    withdraw!(balances, from, amount)
    haskey(balances, to) || throw(KeyError(to))
    balances[to] += amount
    return balances
end
