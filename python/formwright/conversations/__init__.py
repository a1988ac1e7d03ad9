"""Messages and prompts, and how each side reads them."""
