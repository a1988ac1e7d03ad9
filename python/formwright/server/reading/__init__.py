"""Read a request: from its bytes to the texts that it asks for."""
