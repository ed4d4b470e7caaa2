# Looks at the number of changes, but hardly at the script itself, and uses few vectors.
function check_diff(diff)
    try
        return all([([1, 2, 3], [2, 3, 4], 2), (Int[], [1], 1), ([1, 2, 1], [1, 1, 2], 2), ([1], Int[], 1)]) do (old, new, n)
            count(p -> first(p) != :keep, diff(old, new)) == n
        end
    catch
        return false
    end
end
