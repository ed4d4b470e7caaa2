"""What keeps candidates apart from the machine: bubblewrap, Landlock and seccomp, and which of them work."""
