"""The command line's commands: a file for those that share a subject, and what all of them share.

``console`` says where data and messages go and holds the options of several commands; each other file holds
commands, which ``pcf_core.__main__`` registers.  Imports all packages but ``app``.
"""
