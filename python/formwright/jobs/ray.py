"""Many rows on many machines by Ray: a stage of Ray Data, vLLM's offline engine under it, the server on Ray Serve.

::

    dataset.map_batches(
        GenerateStage,
        fn_constructor_kwargs={"model": "formwright-tiny", "form": fw.form(Person), "max_tokens": 64},
        compute=ray.data.ActorPoolStrategy(size=8),
        batch_size=256,
    )

    serve run formwright.jobs.ray:app model=formwright-tiny

Ray schedules, retries, scales and shows progress; nothing of that is here. An actor holds the model and the forms it
has met. A form travels as its source, and is compiled where it is used.

Cost: the start of an actor, and that of `formwright.jobs.mapping.Mapper` for a batch.

A batch whose worker died is written again by another one. Draws without ``seed=`` are then others.
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

__all__ = ["GenerateStage", "app", "checked_row", "map_on_cluster", "vllm_row"]


class GenerateStage:
    """Writes a conforming text for each row of a batch; a class for ``Dataset.map_batches``.

    Rows have a column ``prompt`` (texts, or lists of messages), perhaps ``schema`` (texts of JSON Schema), and others,
    which stay. Columns are added:

    ==========  ==================================================================
    ``status``  ``"complete"``, ``"truncated"`` or ``"failed"``
    ``text``    what was written, ``None`` where the row failed
    ``error``   what went wrong, ``None`` elsewhere
    ==========  ==================================================================

    Args:
        model: What `formwright.load` takes, or a function that makes a model, called once in each actor.
        form: The form of rows without a schema.
        options: Options of the model's ``generate_many``.
    """

    def __init__(self, model: str | Callable[[], Any], form: Any = None, **options: Any) -> None:
        self._mapper = Mapper(fw.load(model) if isinstance(model, str) else model(), form, **options)

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        """The batch, as columns of numpy, with its results."""
        columns = {name: [_plain(value) for value in column.tolist()] for name, column in batch.items()}
        rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
        results = self._mapper(rows)
        return {
            **batch,
            "status": [result["status"] for result in results],
            "text": [result["text"] for result in results],
            "error": [result["error"]["message"] if "error" in result else None for result in results],
        }


def _plain(value: Any) -> Any:
    """What Arrow makes of a list, as a list."""
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
    """The results of rows by a cluster, as they are finished; what ``formwright map --ray`` does.

    Args:
        address: Of the cluster, or ``"local"`` for one on this machine, which ends with the program.
        rows: As `formwright.jobs.mapping.Mapper` takes them; they are held in memory as text.
        model: What `formwright.load` takes, on each machine.
        form: The form of rows without a schema, or ``None``.
        workers: How many actors hold a model.
        batch_size: Rows of a batch.
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


def vllm_row(row: Mapping[str, Any], form: Any, **sampling: Any) -> dict[str, Any]:
    """A row as ``ray.data.llm`` takes it for vLLM's offline engine: what `build_processor` is given as ``preprocess``.

    Args:
        row: With a ``prompt``.
        form: A JSON Schema, a type, a pattern or a choice: what vLLM's structured outputs can be asked for.
        sampling: Of vLLM: ``max_tokens``, ``temperature`` and so on.

    Raises:
        OptionUnsupported: vLLM cannot be asked for this form.
    """
    kind, text = request_from_form(fw.form(form))
    asked: Any = json.loads(text) if kind in ("json", "choice") else text
    prompt = row["prompt"]
    messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(prompt)
    return {"messages": messages, "sampling_params": {**sampling, "structured_outputs": {kind: asked}}}


def checked_row(row: Mapping[str, Any], form: Any) -> dict[str, Any]:
    """A row that vLLM's engine gave back, checked again: what `build_processor` is given as ``postprocess``.

    Columns are those of `GenerateStage`. A text that is not in form is ``"truncated"`` if it is the beginning of one,
    else ``"failed"``.
    """
    of: Form[Any] = fw.form(form)
    text = row.get("generated_text")
    kept = {name: value for name, value in row.items() if name not in ("messages", "sampling_params", "generated_text")}
    if not isinstance(text, str):
        return {**kept, "status": "failed", "text": None, "error": "the engine gave no text"}
    found = of.check(text)
    if found.is_complete:
        return {**kept, "status": "complete", "text": text, "error": None}
    if found.position == len(text):
        return {**kept, "status": "truncated", "text": text, "error": None}
    return {**kept, "status": "failed", "text": None, "error": f"not in form from character {found.position} on"}


def app(arguments: Mapping[str, str]) -> Any:
    """The server as an application of Ray Serve: ``serve run formwright.jobs.ray:app model=NAME``.

    Args:
        arguments: ``model``, what `formwright.load` takes; ``replicas``, how many of it; ``api_key``.

    Raises:
        ArgumentError: Another argument is there.
    """
    from ray import serve

    if unknown := set(arguments) - {"model", "replicas", "api_key"}:
        raise ArgumentError(f"unknown arguments: {', '.join(sorted(unknown))}; model, replicas and api_key are known")
    model, key = arguments.get("model", "formwright-tiny"), arguments.get("api_key")

    def make_app() -> Any:
        from formwright.server import Settings, create_app

        loaded = fw.load(model)
        if not isinstance(loaded, LocalModel):
            raise ArgumentError(f"{model} is behind an API already: a model that runs here is served", argument="model")
        return create_app(loaded, Settings(api_key=key))

    deployment = serve.deployment(serve.ingress(make_app)(), num_replicas=int(arguments.get("replicas", "1")))
    return deployment.bind()
