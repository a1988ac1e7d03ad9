"""Run batch jobs with Ray: a stage of Ray Data, rows for vLLM's offline engine, and the server on Ray Serve.

::

    dataset.map_batches(
        GenerateStage,
        fn_constructor_kwargs={"model": "formwright-tiny", "form": fw.form(Person), "max_tokens": 64},
        compute=ray.data.ActorPoolStrategy(size=8),
        batch_size=256,
    )

    serve run formwright.jobs.ray:app model=formwright-tiny

Ray schedules, retries, scales and shows progress. An actor holds the model and its most recent forms. A form is sent
as its source, and compiled where it is used.

Cost: the start of an actor, and that of `formwright.jobs.mapping.Mapper` for a batch.

A batch whose worker died is written again by another one; without ``seed=``, the texts are then different.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import formwright as fw
from formwright._hosts import import_host
from formwright.engines.grammar_backend import request_from_form
from formwright.errors import ArgumentError
from formwright.forms.form import Form
from formwright.jobs.mapping import Mapper
from formwright.models import LocalModel

with import_host("ray"):
    import ray

__all__ = ["GenerateStage", "app", "check_row", "make_vllm_row", "map_on_cluster"]


class GenerateStage:
    """Writes a conforming text for each row of a batch; a class for ``Dataset.map_batches``.

    Rows have a column ``prompt`` (texts, or lists of messages), perhaps ``schema`` (texts of JSON Schema), and others,
    which stay. Columns are added:

    ==========  ==================================================================
    ``status``  ``"complete"``, ``"truncated"`` or ``"failed"``
    ``text``    what was written, ``None`` if the row failed
    ``error``   what went wrong, ``None`` if nothing did
    ==========  ==================================================================

    Args:
        model: What `formwright.load` takes, or a function that makes a model, called once in each actor.
        form: The form of rows without a schema.
        options: Options of the model's ``generate_many``.
    """

    def __init__(self, model: str | Callable[[], Any], form: Any = None, **options: Any) -> None:
        self._mapper = Mapper(fw.load(model) if isinstance(model, str) else model(), form, **options)

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        """Write the results of a batch of numpy columns, and add them as columns."""
        columns = {name: [_convert_value(value) for value in column.tolist()] for name, column in batch.items()}
        rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
        results = self._mapper(rows)
        return {
            **batch,
            "status": [result["status"] for result in results],
            "text": [result["text"] for result in results],
            "error": [result["error"]["message"] if "error" in result else None for result in results],
        }


def _convert_value(value: Any) -> Any:
    """Return a value as plain Python; Arrow gives lists as arrays."""
    return value.tolist() if hasattr(value, "tolist") else value


class _JsonLinesStage:
    """`GenerateStage` for rows of any shape: each is a line of JSON, and so is its result."""

    def __init__(self, model: str, form: Any, options: Mapping[str, Any]) -> None:
        self._mapper = Mapper(fw.load(model), form, **options)

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        results = self._mapper([json.loads(line) for line in batch["row"].tolist()])
        return {"result": [json.dumps(result) for result in results]}


def map_on_cluster(
    address: str,
    rows: Iterable[Mapping[str, Any]],
    model: str,
    form: Any,
    *,
    workers: int = 2,
    batch_size: int = 64,
    **options: Any,
) -> Iterator[dict[str, Any]]:
    """Write the results of rows on a cluster, and give each as it is finished, for ``formwright map --ray``.

    Args:
        address: Of the cluster, or ``"local"`` for one on this machine, which ends with the program.
        rows: As `formwright.jobs.mapping.Mapper` takes them; they are held in memory as text.
        model: What `formwright.load` takes, on each machine.
        form: The form of rows without a schema, or ``None``.
        workers: The number of actors, each with a model.
        batch_size: The number of rows of a batch.
        options: Options of the model's ``generate_many``.
    """
    lines = [{"row": json.dumps(row)} for row in rows]
    if not lines:
        return
    if not ray.is_initialized():
        local = {"num_cpus": workers + 1, "include_dashboard": False} if address == "local" else {}
        ray.init(address, log_to_driver=False, **local)
    blocks = -(-len(lines) // batch_size)
    written = ray.data.from_items(lines, override_num_blocks=blocks).map_batches(
        _JsonLinesStage,
        fn_constructor_kwargs={"model": model, "form": form, "options": options},
        compute=ray.data.ActorPoolStrategy(size=workers),
        batch_size=batch_size,
    )
    for row in written.iter_rows():
        yield json.loads(row["result"])


def make_vllm_row(row: Mapping[str, Any], form: Any, **sampling: Any) -> dict[str, Any]:
    """Make a row for vLLM's offline engine in ``ray.data.llm``: the ``preprocess`` of `build_processor`.

    Args:
        row: A row with a ``prompt``.
        form: A JSON Schema, a type, a pattern or a choice, which vLLM's structured outputs support.
        sampling: Sampling parameters of vLLM, such as ``max_tokens`` and ``temperature``.

    Raises:
        OptionUnsupported: vLLM does not support this form.
    """
    kind, text = request_from_form(fw.form(form))
    constraint: Any = json.loads(text) if kind in ("json", "choice") else text
    prompt = row["prompt"]
    messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(prompt)
    return {"messages": messages, "sampling_params": {**sampling, "structured_outputs": {kind: constraint}}}


def check_row(row: Mapping[str, Any], form: Any) -> dict[str, Any]:
    """Check a row from vLLM's offline engine: the ``postprocess`` of `build_processor`.

    Columns are those of `GenerateStage`. A text that does not conform is ``"truncated"`` if it begins a
    conforming text, else ``"failed"``.
    """
    made: Form[Any] = fw.form(form)
    text = row.get("generated_text")
    kept = {name: value for name, value in row.items() if name not in ("messages", "sampling_params", "generated_text")}
    if not isinstance(text, str):
        return {**kept, "status": "failed", "text": None, "error": "the engine gave no text"}
    found = made.check(text)
    if found.is_complete:
        return {**kept, "status": "complete", "text": text, "error": None}
    if found.position == len(text):
        return {**kept, "status": "truncated", "text": text, "error": None}
    return {
        **kept,
        "status": "failed",
        "text": None,
        "error": f"the text departs from the form at character {found.position}",
    }


def app(arguments: Mapping[str, str]) -> Any:
    """Make the server an application of Ray Serve: ``serve run formwright.jobs.ray:app model=NAME``.

    Args:
        arguments: ``model``, what `formwright.load` takes; ``replicas``, their number; ``api_key``.

    Raises:
        ArgumentError: There is another argument.
    """
    from ray import serve

    if unknown := set(arguments) - {"model", "replicas", "api_key"}:
        raise ArgumentError(f"expected model, replicas or api_key, got {', '.join(sorted(unknown))}")
    model, key = arguments.get("model", "formwright-tiny"), arguments.get("api_key")

    def make_app() -> Any:
        from formwright.server import Settings, create_app

        loaded = fw.load(model)
        if not isinstance(loaded, LocalModel):
            raise ArgumentError(
                f"model: expected a model that runs here, got the remote model {model}", argument="model"
            )
        return create_app(loaded, Settings(api_key=key))

    deployment = serve.deployment(serve.ingress(make_app)(), num_replicas=int(arguments.get("replicas", "1")))
    return deployment.bind()
