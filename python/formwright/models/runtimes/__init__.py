"""The libraries that run a model in this process, one module each."""
