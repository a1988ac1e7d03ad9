"""From a question to its answer, without I/O."""
