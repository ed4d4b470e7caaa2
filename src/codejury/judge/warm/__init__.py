"""A judge that lives on: started by one command, used by the next ones, ended by itself.

place.py       where its socket lies, and the fingerprint that says whom it may serve
messages.py    what is said through the socket
server.py      the process that holds the warm sandboxes
client.py      sandboxes of a command that are held by a server, or by the command itself where there is none
"""
