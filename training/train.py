"""Train the tokenizer and the network from scratch on two cores, in about an hour.

    python train.py --out runs/tiny                  # everything, with defaults
    python train.py --out runs/tiny --resume         # go on from the last checkpoint

Idea: the model must copy. A short first phase shows little but key lookups, so
that heads that find and copy appear within minutes; the full mixture follows.
Only the answer is scored; keys that the prompt does not name weigh little,
since nobody can guess them and the constraint engine will write them anyway.

Batches hold examples of similar length (few padding tokens), 4,096 tokens
a worker. Matrices learn by Muon, embeddings and norms by AdamW. The rate is high
until copying has emerged and low afterwards: exact copies need quiet weights.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path

import torch
import torch.distributed as distributed
import torch.nn.functional as F
from data import FIRST_PHASE, FULL_MIXTURE, TASKS, Example, Segment, World, draw
from model import Config, Decoder
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

SPECIAL_TOKENS = ["<|bos|>", "<|end|>", "<|pad|>", "<|user|>", "<|assistant|>"]
BOS, END, PAD, USER, ASSISTANT = range(5)
SYSTEM_TOKEN, SYSTEM = "<|system|>", 4095
LENGTHS = [64, 96, 128, 192, 320]
BATCH_TOKENS = 4096

# Spaces stand alone, so a word is the same tokens after a space and after a quote; digits, Chinese
# characters and punctuation are single, so copying a number or closing a string is never ambiguous.
PATTERN = r"\p{Han}|[\p{L}&&\P{Han}]+|\p{N}|\n *| |[^\p{L}\p{N} \n]"


# --- tokenizer ------------------------------------------------------------------------------------


def train_tokenizer(seed: int, count: int, size: int) -> Tokenizer:
    """Byte-level BPE on generated texts; all 256 bytes are tokens."""
    world = World(seed)
    examples = (draw(world, FULL_MIXTURE) for _ in range(count))
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(PATTERN), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=size - 1, special_tokens=SPECIAL_TOKENS, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator((text for example in examples for text in (example.prompt, example.answer)), trainer)
    tokenizer.add_special_tokens([SYSTEM_TOKEN])
    return tokenizer


# --- batches --------------------------------------------------------------------------------------


def encode_prompt(tokenizer: Tokenizer, example: Example) -> list[int]:
    """The prompt in chat format, up to the token after which the answer begins."""
    system, prompt = (encoding.ids for encoding in tokenizer.encode_batch([example.system, example.prompt], add_special_tokens=False))
    return [*([SYSTEM, *system] if example.system else []), USER, *prompt, ASSISTANT]


def token_weights(segment: Segment, count: int) -> list[float]:
    """Choices are few tokens but whole tasks, and the first token of a value decides where to copy from."""
    if segment.kind == "choice":
        return [8.0] * count
    if segment.kind in ("string", "number", "literal", "nullable"):
        return [3.0, *[segment.weight] * (count - 1)][:count]
    return [segment.weight] * count


def encode(tokenizer: Tokenizer, example: Example, chat: bool = True) -> tuple[list[int], list[float], list[bool]]:
    """Token ids, the weight of predicting each, and whether it belongs to a value (or ends one).

    Without `chat` the answer follows the prompt on a new line, as when a user skips the template.
    """
    encodings = tokenizer.encode_batch([segment.text for segment in example.segments], add_special_tokens=False)
    ids = encode_prompt(tokenizer, example)
    ids = ids if chat else [*ids[ids.index(USER) + 1 : -1], tokenizer.token_to_id("Ċ")]
    weights, values = [0.0] * len(ids), [False] * len(ids)
    after_value = False
    for segment, encoding in zip(example.segments, encodings):
        is_value = segment.kind != "forced"
        ids += encoding.ids
        weights += token_weights(segment, len(encoding.ids))
        values += [is_value] * len(encoding.ids)
        if after_value and encoding.ids:
            values[-len(encoding.ids)] = True
        after_value = is_value
    return [*ids, END], [*weights, 1.0], [*values, after_value]


def echo(world: World, size: int) -> tuple[list[int], list[float]]:
    """Random tokens, then pieces of them again: what follows the first token of a piece is pure copying.

    Every token of the vocabulary takes part, so unseen words are copied as well as known ones.
    """
    shown = [world.random.randrange(len(SPECIAL_TOKENS), size - 1) for _ in range(world.random.randint(8, 40))]
    ids, weights = [USER, *shown, ASSISTANT], [0.0] * (len(shown) + 2)
    for _ in range(world.random.randint(2, 4)):
        start = world.random.randrange(len(shown) - 3)
        piece = shown[start : start + world.random.randint(3, 10)]
        ids += piece
        weights += [0.0] + [1.0] * (len(piece) - 1)
    return [*ids, END], [*weights, 0.0]


Batch = tuple[torch.Tensor, torch.Tensor]


def batches(tokenizer: Tokenizer, world: World, shares: dict[str, float], echoes: float) -> Iterator[Batch]:
    """Endless batches of one length each."""
    waiting: dict[int, list] = {length: [] for length in LENGTHS}
    while True:
        if world.chance(echoes):
            ids, weights = echo(world, Config.vocabulary)
        else:
            ids, weights, _ = encode(tokenizer, draw(world, shares), chat=not world.chance(0.08))
        if world.chance(0.1):
            ids, weights = [BOS, *ids], [0.0, *weights]
        length = next((length for length in LENGTHS if len(ids) <= length), None)
        if length is None:
            continue
        waiting[length].append((ids, weights))
        if len(waiting[length]) == BATCH_TOKENS // length:
            yield pad_batch(waiting[length], length)
            waiting[length] = []


def pad_batch(rows: list, length: int) -> Batch:
    ids = torch.full((len(rows), length), PAD)
    weights = torch.zeros(len(rows), length)
    for row, (row_ids, row_weights) in enumerate(rows):
        ids[row, : len(row_ids)] = torch.tensor(row_ids)
        weights[row, : len(row_ids)] = torch.tensor(row_weights)
    return ids, weights


# --- one step -------------------------------------------------------------------------------------


def batch_loss(model: Decoder, body, batch: Batch) -> torch.Tensor:
    """The weighted mean loss of the scored tokens; only they pass the output matrix."""
    ids, weights = batch
    targets, weights = ids[:, 1:].reshape(-1), weights[:, 1:].reshape(-1)
    chosen = weights.nonzero().squeeze(1)
    with torch.autocast("cpu", torch.bfloat16):
        hidden = body(ids)[:, :-1].reshape(-1, model.config.width)[chosen]
        losses = F.cross_entropy(model.logits(hidden), targets[chosen], reduction="none")
    return (losses * weights[chosen]).sum() / weights[chosen].sum()


def make_optimizers(model: Decoder, matrix_rate: float, other_rate: float) -> list[torch.optim.Optimizer]:
    matrices = [parameter for name, parameter in model.named_parameters() if parameter.ndim == 2 and "embed" not in name]
    others = [parameter for name, parameter in model.named_parameters() if parameter.ndim < 2 or "embed" in name]
    adam = torch.optim.AdamW(others, lr=other_rate, betas=(0.9, 0.98), weight_decay=0.0, fused=True)
    if matrix_rate <= 0:
        return [torch.optim.AdamW([*matrices, *others], lr=other_rate, betas=(0.9, 0.98), weight_decay=0.01, fused=True)]
    return [torch.optim.Muon(matrices, lr=matrix_rate, weight_decay=0.02, momentum=0.95, adjust_lr_fn="match_rms_adamw"), adam]


def rate_factor(step: int, steps: int, warmup: int = 60, settle: int = 1000, low: float = 0.4) -> float:
    """Warm up, run fast until copying has emerged, then slowly, down to zero over the second half."""
    if step < settle:
        return min(1.0, (step + 1) / warmup)
    return low * min(1.0, (steps - step) / (0.5 * steps))


def average_gradients(model: Decoder) -> None:
    """Make the gradients of all workers equal to their mean, in one exchange."""
    gradients = [parameter.grad for parameter in model.parameters()]
    joined = torch.cat([gradient.flatten() for gradient in gradients])
    distributed.all_reduce(joined)
    joined /= distributed.get_world_size()
    for gradient, mean in zip(gradients, joined.split([gradient.numel() for gradient in gradients])):
        gradient.copy_(mean.view_as(gradient))


# --- checking -------------------------------------------------------------------------------------


@torch.no_grad()
def held_out_accuracy(model: Decoder, tokenizer: Tokenizer, count: int) -> dict[str, float]:
    """Share of held-out examples whose every value token is the model's first choice."""
    result = {}
    for position, (task, make) in enumerate(TASKS.items()):
        world = World(1000 + position, held_out=True)
        right = 0
        for _ in range(count):
            ids, _, values = encode(tokenizer, make(world))
            guess = model.logits(model(torch.tensor([ids])))[0, :-1].argmax(-1)
            wanted = torch.tensor(values[1:])
            right += bool((guess[wanted] == torch.tensor(ids[1:])[wanted]).all())
        result[task] = right / count
    return result


# --- the run --------------------------------------------------------------------------------------


def save(path: Path, model: Decoder, optimizers: list, step: int) -> None:
    state = {"model": model.state_dict(), "optimizers": [optimizer.state_dict() for optimizer in optimizers],
             "step": step, "config": vars(model.config)}
    torch.save(state, path.with_suffix(".part"))
    path.with_suffix(".part").replace(path)


def train(rank: int, options: argparse.Namespace) -> None:
    """One worker; all of them start equal, see different data, and average their gradients."""
    if options.workers > 1:
        meeting = Path(options.out, "workers").resolve()
        distributed.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=options.workers)
    out = Path(options.out)
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    tokenizer, checkpoint = Tokenizer.from_file(str(out / "tokenizer.json")), out / "checkpoint.pt"
    model, first = Decoder(Config()), 0
    optimizers = make_optimizers(model, options.matrix_rate, options.rate)
    if options.resume and checkpoint.exists():
        state = torch.load(checkpoint, weights_only=False)
        model.load_state_dict(state["model"])
        for optimizer, saved in zip(optimizers, state["optimizers"]):
            optimizer.load_state_dict(saved)
        first = state["step"]
    world = World(options.seed + 1000 * rank + first + 1)
    base_rates = [options.matrix_rate, options.rate] if len(optimizers) == 2 else [options.rate]
    body = torch.compile(model, dynamic=False) if options.compile else model
    if rank == 0:
        print(f"parameters {sum(p.numel() for p in model.parameters()):,}", flush=True)
    run_steps(rank, options, model, body, tokenizer, world, optimizers, base_rates, first, checkpoint)


def run_steps(rank, options, model, body, tokenizer, world, optimizers, base_rates, first, checkpoint) -> None:
    sources = {False: batches(tokenizer, world, FIRST_PHASE, echoes=0.35), True: batches(tokenizer, world, FULL_MIXTURE, echoes=0.12)}
    began, tokens, total = time.time(), 0, 0.0
    for step in range(first, options.steps):
        source = sources[step >= options.first_phase]
        for _ in range(options.accumulate):
            batch = next(source)
            loss = batch_loss(model, body, batch) / options.accumulate
            loss.backward()
            total += loss.item()
            tokens += batch[0].numel() * options.workers
        if options.workers > 1:
            average_gradients(model)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer, base in zip(optimizers, base_rates):
            for group in optimizer.param_groups:
                group["lr"] = base * rate_factor(step, options.steps)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        if rank:
            continue
        if (step + 1) % 20 == 0:
            print(f"step {step + 1} loss {total / 20:.4f} minutes {(time.time() - began) / 60:.1f} tokens/s {tokens / (time.time() - began):.0f}", flush=True)
            total = 0.0
        if (step + 1) % options.check_every == 0 or step + 1 == options.steps:
            save(checkpoint, model, optimizers, step + 1)
            print("held out", json.dumps({task: round(value, 2) for task, value in held_out_accuracy(model, tokenizer, options.check_count).items()}), flush=True)


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="folder of the run")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in the folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=4600)
    parser.add_argument("--first-phase", type=int, default=400, help="steps of mostly key lookups")
    parser.add_argument("--accumulate", type=int, default=1, help="batches per step")
    parser.add_argument("--matrix-rate", type=float, default=5e-3, help="learning rate of Muon; 0 uses AdamW for all")
    parser.add_argument("--rate", type=float, default=2e-3, help="learning rate of AdamW")
    parser.add_argument("--workers", type=int, default=2, help="processes that share the work, one core each")
    parser.add_argument("--threads", type=int, default=1, help="threads of each worker")
    parser.add_argument("--compile", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--check-every", type=int, default=100)
    parser.add_argument("--check-count", type=int, default=24)
    return parser.parse_args()


def main() -> None:
    options = parse_options()
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "workers").unlink(missing_ok=True)
    if not (out / "tokenizer.json").exists():
        train_tokenizer(options.seed, 40_000, Config.vocabulary).save(str(out / "tokenizer.json"))
    torch.multiprocessing.spawn(train, (options,), options.workers)


if __name__ == "__main__":
    main()
