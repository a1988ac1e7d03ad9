"""Batch jobs: a result for every row of a file, in a file from which a run that was killed resumes."""
