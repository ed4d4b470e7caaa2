# A transfer to the same account adds to the balance from before the withdrawal.
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
    balance = balances[name]
    balance >= amount || throw(InsufficientFunds(name, balance, amount))
    return balances[name] = balance - amount
end
function transfer!(balances::AbstractDict, from::AbstractString, to::AbstractString, amount::Integer)
    amount > 0 || throw(ArgumentError("the amount must be positive"))
    a, b = balances[from], balances[to]
    a >= amount || throw(InsufficientFunds(from, a, amount))
    balances[from] = a - amount
    balances[to] = b + amount
    return balances
end
