"""A set of texts, and what each of them is read as."""
