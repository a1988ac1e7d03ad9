"""Ways to draw a text other than token by token."""
