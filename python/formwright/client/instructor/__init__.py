"""The calls that Instructor's users type."""
