# A few typical inputs, without borders, empty ones, or a look at the argument.
function check_merge(merge)
    try
        return merge([(1, 3), (2, 5)]) == [(1, 5)] && merge([(1, 2), (4, 5)]) == [(1, 2), (4, 5)]
    catch
        return false
    end
end
