"""The idea in plain Python: the oracle of the kernel."""
