# Takes the locks in order, but keeps them when something throws.
function transfer!(bank::Bank, from, to, amount)
    check_transfer(bank, from, to, amount)
    guards = [account(bank, name).guard for name in sort(unique([from, to]))]
    foreach(lock, guards)
    source, target = account(bank, from), account(bank, to)
    source.balance >= amount || throw(Overdrawn(from, amount - source.balance))
    result = bank.authorize(from, to, amount)
    if result
        source.balance -= amount
        target.balance += amount
        push!(bank.journal, (from, to, amount))
    end
    foreach(unlock, guards)
    return result
end
