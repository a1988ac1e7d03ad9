"""The ``formwright`` command: one file per subcommand, each a thin caller of the library.

Results go to stdout, everything else to stderr. Exit codes: 0 done; 1 the answer is no
(an instance not in form, a text that was cut); 2 a wrong command line; 3 a form,
tokenizer or model that formwright refuses, with the reason.
"""
