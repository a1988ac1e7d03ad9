"""Chat models for the frameworks that call them.

Each framework has a module named after it, which is imported only when it is used.
"""
