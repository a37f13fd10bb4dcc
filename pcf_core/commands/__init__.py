"""The command line's commands: a file for those that share a subject, and what all of them share.

May import all rooms but ``ui``.  ``console`` says where data and messages go, ``options`` holds the options
of several commands; each other file holds commands, which ``pcf_core.__main__`` registers.
"""
