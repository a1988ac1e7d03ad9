"""Triton reads its environment when it is imported: from here on its kernels run in its interpreter, on a CPU."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

if find_spec("triton") and "triton" not in sys.modules:
    os.environ["TRITON_INTERPRET"] = "1"
