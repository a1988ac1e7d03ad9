"""How a form is asked of a service, and how its answer is read."""
