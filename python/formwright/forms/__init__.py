"""Sets of texts, and what each text is read as."""
