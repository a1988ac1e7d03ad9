"""Forms: sets of texts, and what each text is read as.

`form` is the class, with the operators that compose forms; `coerce` knows what may be passed in place of one. Forms are
made by `texts` (patterns, choices), `json_forms` (JSON Schema), `python_types`, `grounded`, `parsers`, `free_text` and
`templates`; `explain` says how each keyword is read, and `readers` reads what was written.
"""
