"""Forms inside the engines that run the loop themselves.

A module for each engine, named after it; none is imported before it is asked for.
"""
