"""Forms in SGLang: a grammar back end under the name ``formwright``.

::

    python -m sglang.launch_server --model-path some-model --grammar-backend formwright

SGLang finds the plugin by its entry point (``sglang.srt.plugins``). It serves JSON Schema, regular expressions, EBNF
and structural tags, each text within ``max_new_tokens`` of its request.
"""

from formwright.engines.sglang.registration import install

__all__ = ["install"]
