# Reads the balances after the question instead of before it: nothing is lost, but too much is authorized.
function transfer!(bank::Bank, from, to, amount)
    check_transfer(bank, from, to, amount)
    source, target = account(bank, from), account(bank, to)
    source.balance >= amount || throw(Overdrawn(from, amount - source.balance))
    bank.authorize(from, to, amount) || return false
    source.balance >= amount || throw(Overdrawn(from, amount - source.balance))
    source.balance -= amount
    target.balance += amount
    push!(bank.journal, (from, to, amount))
    return true
end
