"""How to ask a service for a form, and read its answer."""
