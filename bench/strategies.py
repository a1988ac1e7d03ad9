"""What strategies cost, and how near draws by particles come to the model's own distribution.

::

    python bench/strategies.py fidelity        # small random languages, a model with random opinions
    python bench/strategies.py batches         # the embedded model: many prompts, one by one and together
    python bench/strategies.py steps           # what a form adds to a step; what forced tokens save; traces
    python bench/strategies.py transformers    # the same in transformers' own generate

*Total variation* compares the mean weights of many runs with the exact distribution. A run with one
particle is a draw under masks. What a form adds is the difference to a loop that makes the same calls of the
model and takes the best token of all, one after the other. Ratios are within one run, medians over rounds.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

import formwright as fw
from formwright.generation import Limits, Sampler, Writing
from formwright.generation.held_text import Held
from formwright.models import LocalModel

PERSON = fw.json_schema(
    {
        "type": "object",
        "properties": {"name": {"type": "string"}, "age": {"type": "integer"}, "city": {"type": "string"}},
        "required": ["name", "age", "city"],
        "additionalProperties": False,
    }
)
NAMES = ["Ada", "Bo", "Clara", "Dan", "Eva", "Finn", "Gita", "Hugo"]
PROMPTS = [f"{name} is {age} years old and lives in Prague." for age in range(20, 28) for name in NAMES]


class Opinions:
    """Random logits that depend on every token before."""

    context = 4096

    def __init__(self, width: int, seed: int, seen: tuple[int, ...] = ()) -> None:
        self.width, self.seed, self.seen = width, seed, seen
        self.known: dict[tuple[int, ...], np.ndarray] = {}

    @property
    def length(self) -> int:
        return len(self.seen)

    def prefill(self, token_ids: Sequence[int], /) -> np.ndarray:
        self.seen += tuple(token_ids)
        if self.seen not in self.known:
            history = zlib.crc32(np.array(self.seen, np.int64).tobytes())
            self.known[self.seen] = np.random.default_rng([self.seed, history]).normal(size=self.width) * 2
        return self.known[self.seen].astype(np.float32)

    def step(self, token_id: int, /) -> np.ndarray:
        return self.prefill([token_id])

    def fork(self) -> Opinions:
        twin = Opinions(self.width, self.seed, self.seen)
        twin.known = self.known
        return twin


def random_language(seed: int) -> tuple[LocalModel, fw.Form[str]]:
    """A few random texts over three letters, and a model of tokens of one to three letters."""
    random = np.random.default_rng(seed)
    texts = {"".join(random.choice(list("abc"), int(random.integers(2, 6)))) for _ in range(8)}
    longer = {"".join(random.choice(list("abc"), int(random.integers(2, 4)))) for _ in range(4)}
    tokens = [b"", b"a", b"b", b"c", *sorted(token.encode() for token in longer)]
    vocabulary = fw.Vocabulary(tokens, eos_token_ids=[0])
    return LocalModel("opinions", Opinions(len(tokens), seed), vocabulary, lambda text: [1]), fw.choice(sorted(texts))


def fidelity(total: int) -> None:
    """Total variation, and the estimate of P(form), for growing numbers of particles."""
    print(f"{'particles':>10} {'runs':>8} {'total variation':>16} {'worst':>8} {'P(form): standard errors off':>30}")
    languages = [random_language(seed) for seed in range(5)]
    for count in (1, 16, 64, 256):
        runs = total // count // len(languages)
        found = [against_exact(model, form, count, runs) for model, form in languages]
        distances, errors = zip(*found, strict=True)
        shown = " ".join(f"{error:+.1f}" for error in errors)
        print(f"{count:>10} {runs * len(languages):>8} {np.mean(distances):>16.4f} {max(distances):>8.4f} {shown:>30}")


def against_exact(model: LocalModel, form: fw.Form[str], count: int, runs: int) -> tuple[float, float]:
    """Total variation of the mean weights, and how many standard errors the mean estimate of P(form) is off."""
    exact = model.generate([1], form, fidelity="exact").particles
    assert exact is not None
    expected, found = shares(exact.texts, exact.log_weights), defaultdict(float)
    estimates = []
    for seed in range(runs):
        particles = model.generate([1], form, fidelity="smc", particles=count, seed=seed).particles
        assert particles is not None
        estimates.append(math.exp(particles.log_form_probability))
        for text, share in shares(particles.texts, particles.log_weights).items():
            found[text] += share / runs
    error = statistics.stdev(estimates) / math.sqrt(runs)
    off = (statistics.mean(estimates) - math.exp(exact.log_form_probability)) / error
    return sum(abs(expected[text] - found[text]) for text in {*expected, *found}) / 2, off


def shares(texts: Sequence[str], log_weights: Sequence[float]) -> defaultdict[str, float]:
    found: defaultdict[str, float] = defaultdict(float)
    for text, log_weight in zip(texts, log_weights, strict=True):
        found[text] += math.exp(log_weight)
    return found


def time_work(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, and the result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def batches(model: LocalModel, rounds: int) -> None:
    """Many prompts, one by one and together."""
    ratios = []
    for _ in range(rounds):
        one, alone = time_work(lambda: [model.generate(prompt, PERSON, max_tokens=60) for prompt in PROMPTS])
        many, together = time_work(lambda: model.generate_many(PROMPTS, PERSON, max_tokens=60, progress=False))
        assert [result.text for result in alone] == [result.text for result in together]
        tokens = sum(len(result.token_ids) for result in alone)
        print(
            f"one by one {tokens / one:8.0f} tokens/s   together {tokens / many:8.0f} tokens/s   {one / many:.2f} times"
        )
        ratios.append(one / many)
    print(f"{len(PROMPTS)} prompts: {statistics.median(ratios):.2f} times the throughput (median of {rounds})")


def steps(model: LocalModel, rounds: int) -> None:
    """What a form adds to each step, what forced tokens save, and what a trace costs."""
    constraint = fw.compile(PERSON, model.vocabulary)
    found = [overhead(model, constraint) for _ in range(20 * rounds)]
    own, added, ends = (1e6 * statistics.median(times) for times in zip(*found, strict=True))
    print(f"a step {own:.1f} us, the form {added:.2f} us: {100 * added / own:.2f} % (medians of {20 * rounds})")
    print(f"a text {ends:.0f} us to begin, to end and to be read")
    plain, results = time_work(lambda: [model.generate(prompt, constraint, max_tokens=60) for prompt in PROMPTS])
    traced, _ = time_work(lambda: [model.generate(prompt, constraint, max_tokens=60, trace=True) for prompt in PROMPTS])
    tokens, calls = (sum(counts) for counts in zip(*((len(r.token_ids), r.model_calls) for r in results), strict=True))
    print(f"forced tokens: {tokens} tokens by {calls} calls of the model")
    print(f"trace: {1e3 * plain / len(PROMPTS):.1f} ms a text without, {1e3 * traced / len(PROMPTS):.1f} ms with")


def overhead(model: LocalModel, constraint: fw.Constraint[Any]) -> tuple[float, float, float]:
    """Seconds of a step without a form, what the form adds to it, and what it adds to a text: same calls.

    What the form adds is measured beside the calls of the model, whose time varies by more than that.
    """
    ids = list(model.encode(PROMPTS[0]))
    given: list[list[int]] = []
    began = time.perf_counter()
    writing = Writing(constraint, ids, Limits(max_tokens=60), Sampler())
    writing.advance()
    ends = time.perf_counter() - began
    bound = free = called = 0.0
    runtime = model.runtime.fork()
    while not writing.is_over:
        began = time.perf_counter()
        given.append(writing.take_unseen())
        asked = time.perf_counter()
        logits = runtime.prefill(given[-1])
        answered = time.perf_counter()
        writing.advance(logits)
        if writing.is_over:
            ends += time.perf_counter() - answered
        else:
            bound += time.perf_counter() - answered + asked - began
    tokens, held = iter(writing.token_ids), Held(None)
    runtime = model.runtime.fork()
    for unseen, following in pairwise(given):
        began = time.perf_counter()
        logits = runtime.prefill(unseen)
        answered = time.perf_counter()
        int(np.argmax(logits))
        for _ in following:
            token_id = next(tokens)
            held.add(token_id, model.vocabulary.token(token_id))
        called += answered - began
        free += time.perf_counter() - answered
    steps = len(given) - 1
    return (called + free) / steps, (bound - free) / steps, ends


def in_transformers(rounds: int) -> None:
    """What the logits processor adds to a step of transformers' own loop."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from formwright.models import embedded

    torch.set_num_threads(1)
    network = AutoModelForCausalLM.from_pretrained(embedded.FOLDER, dtype=torch.float32).eval()
    model = fw.from_transformers(network, AutoTokenizer.from_pretrained(embedded.FOLDER))
    inputs = {"input_ids": torch.tensor([model.encode(PROMPTS[0])])}
    inputs["attention_mask"] = torch.ones_like(inputs["input_ids"])
    processor = model.logits_processor(PERSON, max_tokens=60)
    spent: list[float] = []

    def measure_processor(ids: Any, scores: Any) -> Any:
        took, out = time_work(lambda: processor(ids, scores))
        spent.append(took)
        return out

    for _ in range(rounds):
        spent.clear()
        whole, _ = time_work(
            lambda: network.generate(**inputs, max_new_tokens=60, logits_processor=[measure_processor])
        )
        own = whole - sum(spent)
        print(
            f"generate {1e6 * own / len(spent):8.1f} us a step   form {1e6 * sum(spent) / len(spent):6.1f} us   "
            f"{100 * sum(spent) / own:.2f} %"
        )
    ours, _ = time_work(
        lambda: network.generate(**inputs, max_new_tokens=60, custom_generate=model.custom_generate(PERSON))
    )
    theirs, _ = time_work(lambda: network.generate(**inputs, max_new_tokens=60, logits_processor=[processor]))
    print(f"custom_generate {1e3 * ours:.0f} ms, with a processor {1e3 * theirs:.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["fidelity", "batches", "steps", "transformers"])
    parser.add_argument("--particles", type=int, default=100_000, help="in all runs together")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if options.what == "fidelity":
        fidelity(options.particles)
    elif options.what == "transformers":
        in_transformers(options.rounds)
    else:
        {"batches": batches, "steps": steps}[options.what](fw.load("formwright-tiny"), options.rounds)


if __name__ == "__main__":
    main()
