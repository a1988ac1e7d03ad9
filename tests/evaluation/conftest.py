"""What the tests of evaluations share: simulated models, and rows of them."""

from __future__ import annotations

import pytest

pytest.importorskip("statsmodels", reason="evaluations need formwright[evaluate]")
