"""Chat models for the frameworks that call them.

A module for each framework, named after it; none is imported before it is asked for.
"""
