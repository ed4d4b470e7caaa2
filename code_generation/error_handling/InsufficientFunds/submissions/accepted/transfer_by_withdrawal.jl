# transfer! looks for the other account first and leaves the rest to withdraw!.
struct InsufficientFunds <: Exception
    name::String
    balance::Int
    requested::Int
end
Base.showerror(io::IO, e::InsufficientFunds) = print(io, "InsufficientFunds: ", e.name, " has ", e.balance,
    ", but ", e.requested, " were requested (", e.requested - e.balance, " short)")
function withdraw!(balances::AbstractDict, name::AbstractString, amount::Integer)
    if amount <= 0
        throw(ArgumentError("amount"))
    end
    have = balances[name]
    if have < amount
        throw(InsufficientFunds(name, have, amount))
    end
    balances[name] = have - amount
    return balances[name]
end
function transfer!(balances::AbstractDict, from::AbstractString, to::AbstractString, amount::Integer)
    amount <= 0 && throw(ArgumentError("amount"))
    balances[from]
    balances[to]
    withdraw!(balances, from, amount)
    balances[to] = balances[to] + amount
    return balances
end
