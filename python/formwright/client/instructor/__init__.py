"""The calls that users of Instructor know."""
