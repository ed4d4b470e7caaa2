# Fields by name, and checks in a try with else.
# Needs: Julia 1.8
Base.@kwdef struct InsufficientFunds <: Exception
    name::String
    balance::Int
    requested::Int
end

function Base.showerror(io::IO, error::InsufficientFunds)
    (; name, balance, requested) = error
    print(io, "InsufficientFunds: ", name, " has ", balance, ", but ", requested, " were requested (", requested - balance, " short)")
end

function covers(balances, amount, name, others...)
    amount > 0 || throw(ArgumentError("amounts are positive"))
    missing_one = findfirst(∉(keys(balances)), [name, others...])
    isnothing(missing_one) || throw(KeyError([name, others...][missing_one]))
    balances[name] >= amount || throw(InsufficientFunds(; name, balance = balances[name], requested = amount))
end

function withdraw!(balances::AbstractDict, name::AbstractString, amount::Integer)
    covers(balances, amount, name)
    balances[name] -= amount
end

function transfer!(balances::AbstractDict, from::AbstractString, to::AbstractString, amount::Integer)
    try
        covers(balances, amount, from, to)
    catch
        rethrow()
    else
        balances[from] -= amount
        balances[to] += amount
    end
    balances
end
