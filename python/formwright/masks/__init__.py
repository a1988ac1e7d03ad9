"""The bits that say which tokens may come next, applied to logits."""
