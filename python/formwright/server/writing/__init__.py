"""Write an answer: from tokens to the bytes of its protocol."""
