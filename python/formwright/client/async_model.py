"""A remote model, for event loops: the methods of `RemoteModel`, awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from formwright._kernel import Constraint
from formwright.client.flow.async_items import ItemsAsync, make_array_form
from formwright.client.remote import RemoteBase, add_seed
from formwright.client.remote_options import RemoteOptions
from formwright.client.transport.drivers import ArrivingAsync, AsyncTransport, run_async
from formwright.conversations.remote_prompts import Conversation
from formwright.forms.form import Form
from formwright.generation.many import progress_of
from formwright.generation.result import Complete, Failed, Truncated

if TYPE_CHECKING:
    from typing_extensions import TypeForm, Unpack


__all__ = ["AsyncRemoteModel"]

T = TypeVar("T")


@dataclass(frozen=True, repr=False)
class AsyncRemoteModel(RemoteBase):
    """A remote model, for an event loop: the methods that `RemoteModel` describes are awaited."""

    transport: AsyncTransport = field(kw_only=True)

    @overload
    async def generate(
        self,
        prompt: Conversation,
        form: TypeForm[T],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[RemoteOptions],
    ) -> Complete[T]: ...
    @overload
    async def generate(
        self,
        prompt: Conversation,
        form: Form[T] | Constraint[T],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[RemoteOptions],
    ) -> Complete[T]: ...
    @overload
    async def generate(
        self,
        prompt: Conversation,
        form: Any,
        *,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        **options: Unpack[RemoteOptions],
    ) -> Complete[Any] | Truncated: ...
    async def generate(self, prompt: Conversation, form: Any, **options: Any) -> Complete[Any] | Truncated:
        """Let the service write one text that conforms to ``form``, and read its value; see `RemoteModel.generate`."""
        flow = self._make_flow(prompt, form, options)
        result: Complete[Any] | Truncated = await run_async(flow, self.transport, self.cache)
        return result

    @overload
    def stream(
        self,
        prompt: Conversation,
        form: TypeForm[T],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[RemoteOptions],
    ) -> ArrivingAsync[Complete[T]]: ...
    @overload
    def stream(
        self,
        prompt: Conversation,
        form: Form[T] | Constraint[T],
        *,
        finish: Literal[True] = True,
        stop: None = None,
        cancel: None = None,
        **options: Unpack[RemoteOptions],
    ) -> ArrivingAsync[Complete[T]]: ...
    @overload
    def stream(
        self,
        prompt: Conversation,
        form: Any,
        *,
        finish: bool = True,
        stop: str | Sequence[str] | None = None,
        cancel: Callable[[], bool] | None = None,
        **options: Unpack[RemoteOptions],
    ) -> ArrivingAsync[Complete[Any] | Truncated]: ...
    def stream(self, prompt: Conversation, form: Any, **options: Any) -> ArrivingAsync[Any]:
        """Let the service write one text: ``async for``, then ``stream.result``; see `RemoteModel.stream`."""
        flow = self._make_flow(prompt, form, options, is_stream=True)
        return ArrivingAsync(flow, self.transport, self.cache)

    def stream_items(self, prompt: Conversation, item: Any, **options: Any) -> ItemsAsync[Any]:
        """Give the items of an array, each as soon as it is complete: ``async for``; see `RemoteModel.stream_items`."""
        return ItemsAsync(self.stream(prompt, make_array_form(item), **options))

    async def generate_many(
        self,
        prompts: Sequence[Conversation],
        forms: Any,
        *,
        concurrency: int = 8,
        progress: bool | None = None,
        seed: int | None = None,
        **options: Any,
    ) -> list[Any]:
        """Let the service write one text for each prompt, several at a time; see `RemoteModel.generate_many`."""
        many = self._pair_prompts(prompts, forms, concurrency, options)
        room = asyncio.Semaphore(concurrency)

        async def write(number: int) -> Any:
            prompt, form = many[number]
            async with room:
                try:
                    return await self.generate(prompt, form, **add_seed(options, seed, number))
                except Exception as error:
                    return Failed(error)
                finally:
                    done()

        with progress_of(len(many), progress) as done:
            return list(await asyncio.gather(*map(write, range(len(many)))))

    async def score(
        self, prompt: Conversation, choices: Iterable[str] | TypeForm[Any], *, canonical: bool = True
    ) -> dict[str, float]:
        """Return the log probability of each of some texts as the complete answer; see `RemoteModel.score`."""
        scores: dict[str, float] = await run_async(self._make_score_flow(prompt, choices, canonical), self.transport)
        return scores

    async def close(self) -> None:
        """Close the connections."""
        if hasattr(self.transport, "close"):
            await self.transport.close()

    async def __aenter__(self) -> AsyncRemoteModel:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
