"""From a query to its answer, without I/O."""
