"""Receipts: what was written under which form, so that others can check it token by token.

::

    receipt = model.generate(prompt, Person).receipt
    Path("receipt.json").write_text(receipt.to_json())
    receipt.verify(vocabulary)                  # ()

A receipt proves that its tokens conform to its form under its tokenizer and that each of them was allowed where it
is. It does not prove who wrote them, nor that a model chose them: that takes a signature, and trust in its owner.
"""

from __future__ import annotations

from formwright.receipts.receipt import Problem, Provenance, Receipt, make_receipt
from formwright.receipts.signatures import Signature, read_private_key, read_public_key
from formwright.receipts.stamped_replies import ReplyStamp, from_reply, read_reply_stamp

__all__ = [
    "Problem",
    "Provenance",
    "Receipt",
    "ReplyStamp",
    "Signature",
    "from_reply",
    "make_receipt",
    "read_private_key",
    "read_public_key",
    "read_reply_stamp",
]
