"""The idea in plain Python: the oracles that the kernel is tested against."""
