# Locks the two accounts in the order of the arguments, which can deadlock.
function transfer!(bank::Bank, from, to, amount)
    check_transfer(bank, from, to, amount)
    source, target = account(bank, from), account(bank, to)
    lock(source.guard) do
        lock(target.guard) do
            source.balance >= amount || throw(Overdrawn(from, amount - source.balance))
            bank.authorize(from, to, amount) || return false
            source.balance -= amount
            target.balance += amount
            push!(bank.journal, (from, to, amount))
            return true
        end
    end
end
