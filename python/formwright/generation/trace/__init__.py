"""What the form did to the model, token by token, and its pictures."""
