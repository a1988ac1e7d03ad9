"""Whether structure helps, measured on a task of one's own: `statistics` of answers to the same questions."""
