# One lock for the whole bank: correct sums, but everybody waits for everybody.
const BANK_LOCK = ReentrantLock()

function transfer!(bank::Bank, from, to, amount)
    check_transfer(bank, from, to, amount)
    return split!(bank, from, [to => amount])
end

function split!(bank::Bank, from, shares)
    foreach(share -> check_transfer(bank, from, share...), shares)
    lock(BANK_LOCK) do
        left = balance(bank, from) - sum(last, shares)
        left >= 0 || throw(Overdrawn(from, -left))
        all(share -> bank.authorize(from, share...), shares) || return false
        for (name, amount) in shares
            account(bank, from).balance -= amount
            account(bank, name).balance += amount
            push!(bank.journal, (from, name, amount))
        end
        return true
    end
end
