"""How to request a form from a service, and read its answer."""
