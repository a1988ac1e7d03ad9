"""A request: from its bytes to what is asked for."""
