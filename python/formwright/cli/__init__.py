"""The ``formwright`` command: one file per subcommand, each a thin caller of the library.

Results go to stdout, everything else to stderr. What a subcommand shares with others,
options and the reading of files, is in `shared`; `app` has the exit codes.
"""
