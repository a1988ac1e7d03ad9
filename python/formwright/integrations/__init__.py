"""Forms inside the engines and frameworks that people already run.

A module for each, named after it; none is imported before it is asked for. What they rest on is small: the states of
a host's rows (`formwright.generation.rows`), which versions are known (`hosts`), and the proof that a host
keeps to a form (`handshake`). A runtime that our own loop drives lives in `formwright.models`.
"""
