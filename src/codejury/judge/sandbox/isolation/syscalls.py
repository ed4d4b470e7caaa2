"""System calls by name, grouped by what is done about them, with their numbers.

Each row: name, number on x86_64, number on aarch64 ("-": there is no such call).
DENIED and ABSENT always hold; SIGNALS and UNWATCHED hold where asked for; INSPECTED ones are judged
by their arguments. What is made of them is in `seccomp`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

DENIED: Final = """
# A candidate is one process. Threads stay possible: clone is looked at more closely below.
fork                        57    -
vfork                       58    -
execve                      59  221
execveat                   322  281
# Other processes: their memory, their descriptors, handles on them.
ptrace                     101  117
process_vm_readv           310  270
process_vm_writev          311  271
process_madvise            440  440
process_mrelease           448  448
kcmp                       312  272
pidfd_open                 434  434
pidfd_getfd                438  438
# New namespaces and mounts: large parts of the kernel that a candidate has no business in.
unshare                    272   97
setns                      308  268
mount                      165   40
umount2                    166   39
pivot_root                 155   41
chroot                     161   51
mount_setattr              442  442
fsopen                     430  430
fsconfig                   431  431
fsmount                    432  432
fspick                     433  433
move_mount                 429  429
open_tree                  428  428
open_tree_attr             467  467
# Files reached past the directory tree.
open_by_handle_at          304  265
name_to_handle_at          303  264
# Work for the whole machine, and kernel memory, that no limit of a candidate's counts.
sync                       162   81
syncfs                     306  267
io_setup                   206    0
# Memory that outlives the process or escapes the file-size and scratch limits.
memfd_create               319  279
shmget                      29  194
shmat                       30  196
shmctl                      31  195
msgget                      68  186
msgsnd                      69  189
msgrcv                      70  188
msgctl                      71  187
semget                      64  190
semop                       65  193
semtimedop                 220  192
semctl                      66  191
mq_open                    240  180
mq_unlink                  241  181
add_key                    248  217
request_key                249  218
keyctl                     250  219
# Favourites of kernel exploits, of no use to an exercise.
bpf                        321  280
perf_event_open            298  241
userfaultfd                323  282
fanotify_init              300  262
fanotify_mark              301  263
lookup_dcookie             212   18
personality                135   92
modify_ldt                 154    -
iopl                       172    -
ioperm                     173    -
# Another identity. Harmless without capabilities; denied so that it stays so.
setuid                     105  146
setgid                     106  144
setreuid                   113  145
setregid                   114  143
setresuid                  117  147
setresgid                  119  149
setfsuid                   122  151
setfsgid                   123  152
setgroups                  116  159
capset                     126   91
lsm_set_self_attr          460  460
# More than its share of the processors or of one memory bank.
setpriority                141  140
ioprio_set                 251   30
sched_setscheduler         144  119
sched_setparam             142  118
sched_setattr              314  274
mbind                      237  235
set_mempolicy              238  237
set_mempolicy_home_node    450  450
migrate_pages              256  238
move_pages                 279  239
# The machine's administration.
reboot                     169  142
kexec_load                 246  104
kexec_file_load            320  294
init_module                175  105
finit_module               313  273
delete_module              176  106
swapon                     167  224
swapoff                    168  225
acct                       163   89
quotactl                   179   60
quotactl_fd                443  443
syslog                     103  116
vhangup                    153   58
settimeofday               164  170
clock_settime              227  112
adjtimex                   159  171
clock_adjtime              305  266
sethostname                170  161
setdomainname              171  162
"""

ABSENT: Final = """
# Work done by the kernel on a process's behalf passes no filter.
io_uring_setup             425  425
io_uring_enter             426  426
io_uring_register          427  427
# Its flags lie in memory, where a filter cannot look; the C library then uses clone.
clone3                     435  435
memfd_secret               447  447
"""

SIGNALS: Final = """
# Without a pid namespace of its own a candidate could end other candidates and its supervisor.
kill                        62  129
tkill                      200  130
tgkill                     234  131
rt_sigqueueinfo            129  138
rt_tgsigqueueinfo          297  240
pidfd_send_signal          424  424
"""

UNWATCHED: Final = """
# Landlock guards what is in a file, not who may open it or what is noted on it.
chmod                       90    -
fchmod                      91   52
fchmodat                   268   53
fchmodat2                  452  452
chown                       92    -
lchown                      94    -
fchown                      93   55
fchownat                   260   54
setxattr                   188    5
lsetxattr                  189    6
fsetxattr                  190    7
setxattrat                 463  463
removexattr                197   14
lremovexattr               198   15
fremovexattr               199   16
removexattrat              466  466
file_setattr               469  469
# Watched from Landlock's third version on; open files are truncated by another call.
truncate                    76   45
"""

INSPECTED: Final = """
# Useful with some arguments, dangerous with others.
clone                       56  220
ioctl                       16   29
fcntl                       72   25
socket                      41  198
socketpair                  53  199
prlimit64                  302  261
sched_setaffinity          203  122
"""

NEWEST: Final = 469
"""The last number these tables were checked against (Linux 6.18); the same on both architectures."""


def parse_table(table: str) -> Iterator[tuple[str, tuple[int | None, int | None]]]:
    """Each row of a table: `"fork 57 -"` -> `("fork", (57, None))`."""
    for line in table.splitlines():
        if line and not line.startswith("#"):
            name, x86_64, aarch64 = line.split()
            yield name, (_number(x86_64), _number(aarch64))


def _number(cell: str) -> int | None:
    return None if cell == "-" else int(cell)


def numbers(table: str, column: int) -> list[int]:
    """All numbers of one architecture: column 0 is x86_64, column 1 aarch64."""
    return [number for _, row in parse_table(table) if (number := row[column]) is not None]
