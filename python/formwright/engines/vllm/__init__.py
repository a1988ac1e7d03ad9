"""Forms in vLLM: as its structured outputs, or as a logits processor that a request names.

::

    FORMWRIGHT_VLLM=1 vllm serve some-model              # structured outputs of every spelling: `backend`
    vllm serve some-model --logits-processors formwright.engines.vllm.processor:FormProcessor

The first one is a plugin that every vLLM with formwright beside it finds, and that does nothing without the variable.
With it, formwright enforces ``response_format``, ``structured_outputs`` and strict tools, by whatever name the back
end is configured: there is no request that another one serves. The second one knows the budget of a request,
so its texts are complete.

Nothing of vLLM is imported here. vLLM has no registry for back ends, so the plugin replaces classes by
name. A version whose names are others is refused when the engine starts (`HostMismatch`).
"""
