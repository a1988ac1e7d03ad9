"""Files of rows: one answer for each, kept as it comes."""
