# Waits until no account of its own is busy, and then takes all of them at once.
const BUSY = Set{ReentrantLock}()
const CHANGED = Condition()

function transfer!(bank::Bank, from, to, amount)
    check_transfer(bank, from, to, amount)
    return move(bank, from, [(to, amount)])
end

function split!(bank::Bank, from, shares)
    for (name, amount) in shares
        check_transfer(bank, from, name, amount)
    end
    return move(bank, from, [(name, amount) for (name, amount) in shares])
end

function move(bank, from, shares)
    mine = Set(account(bank, name).guard for name in vcat(from, first.(shares)))
    while !isempty(intersect(mine, BUSY))
        wait(CHANGED)
    end
    union!(BUSY, mine)
    try
        total_amount = sum(last.(shares))
        have = balance(bank, from)
        have < total_amount && throw(Overdrawn(from, total_amount - have))
        for (to, amount) in shares
            bank.authorize(from, to, amount) || return false
        end
        for (to, amount) in shares
            account(bank, from).balance -= amount
            account(bank, to).balance += amount
            push!(bank.journal, (from, to, amount))
        end
        return true
    finally
        setdiff!(BUSY, mine)
        notify(CHANGED)
    end
end
