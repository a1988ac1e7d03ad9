"""A JSON Schema in other words: for a provider's subset, or for a reader."""
