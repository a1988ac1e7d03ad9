"""Train the tokenizer and the network from scratch.

    python train.py --out runs/tiny --device cuda         # 1,690 million tokens, a quarter of an hour on an H200
    python train.py --out runs/tiny                       # 40 million tokens, about three hours on two cores
    python train.py --out runs/tiny --minutes 40          # as much of it as fits; the same again goes on
    python train.py --out runs/loops --from MODEL_FOLDER  # go on from finished weights: loops of tools, and all else

A run is a number of tokens. It is saved every minute and goes on from there, on either kind of device if `--tokens` is the same.

Idea: the model must copy, so circuits that copy are planted and trained first; then every skill has its turn, and all
tasks together come last (`PHASES`). Answers are scored, those of examples in the prompt too, and a little of what is
read. Keys that nothing tells weigh little, since nobody can guess them and a form writes them anyway.

Batches hold examples of similar length (few padding tokens). Matrices learn by Muon, embeddings and norms by AdamW. The
rate is high until copying has emerged and low afterwards: exact copies need quiet weights. On a CPU the work is split
between processes of one thread each, in 16 bits where the processor multiplies those itself, else in 32. On a GPU one
process trains in 16 bits (Muon in TF32) and the other cores write its texts.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
import torch.distributed as distributed
import torch.nn.functional as F
from model import Config, Decoder, seed_copying
from muon import Muon
from safetensors.torch import load_file
from texts import words
from texts.examples import Example, Segment
from texts.tasks import FULL_MIXTURE, FURTHER, PHASES, TASKS, Phase, draw
from texts.world import World
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

SPECIAL_TOKENS = ["<|bos|>", "<|end|>", "<|pad|>", "<|user|>", "<|assistant|>", "<|system|>"]
BOS, END, PAD, USER, ASSISTANT, SYSTEM = range(6)
LENGTHS = [64, 96, 128, 192, 256, 384, 512, 1024, 2048]
SHORT = 256
READING, READING_WEIGHT = 0.3, 0.2  # of the tokens of prompts so many are scored too, and count so much
RIGHT = -0.7  # log-probability of the token from which on the network before is right
RUN_TOKENS = {"cpu": 40e6, "cuda": 1690e6}
FURTHER_TOKENS = {"cpu": 12e6, "cuda": 500e6}  # of a run that goes on from finished weights
BATCH_TOKENS = {"cpu": 4096, "cuda": 65536}  # of each worker

# Merges are learnt inside words only: spaces, digits, punctuation and Chinese characters stand alone. So a word is the
# same tokens after a space and after a quote, and copying a number or closing a string is never ambiguous. Since no
# merge crosses these borders, the plain pattern of GPT-2 gives the same tokens, and every runtime knows that one.
BORDERS = pre_tokenizers.Split(Regex(r"\p{Han}|[\p{L}&&\P{Han}]+|\p{N}|[^\p{L}\p{N}]"), "isolated")


# --- tokenizer ------------------------------------------------------------------------------------


def train_tokenizer(seed: int, count: int, size: int) -> Tokenizer:
    """Byte-level BPE in which words with a meaning are whole and names are pieces; all 256 bytes are tokens.

    A word that is cut has to be put together again before it means anything. Names are only copied, and those of users
    are unknown.
    """
    examples = word_counts(seed, count)
    names = {word for entries in (words.FIRST_NAMES, words.LAST_NAMES, words.CITIES) for entry in entries for word in entry.split()}
    often = max(2, count // 2000)
    weights = {word: round(2 * number**0.5) if number >= often and word not in names else 1 for word, number in examples.items()}
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=SPECIAL_TOKENS, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator((word for word, weight in weights.items() for _ in range(weight)), trainer)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    return tokenizer


def word_counts(seed: int, count: int) -> Counter[str]:
    """In how many texts each word occurs, Chinese tasks seen more often."""
    world, found = World(seed), Counter()
    shares = {task: share * (3 if task.endswith("_zh") else 1) for task, share in FULL_MIXTURE.items()}
    for _ in range(count):
        for text in all_texts(draw(world, shares)):
            found.update(dict.fromkeys((word for word, _ in BORDERS.pre_tokenize_str(text)), 1))  # in the order of the text, so that runs are equal
    return found


def words_of(tokenizer: Tokenizer) -> torch.Tensor:
    """Which tokens have letters or digits, or are pieces of a character."""
    texts = [tokenizer.decode([token]) for token in range(tokenizer.get_vocab_size())]
    return torch.tensor([any(character.isalnum() or character == "\ufffd" for character in text) for text in texts])


def all_texts(example: Example) -> Iterator[str]:
    """What an example is made of."""
    yield example.system
    for turn in example.turns:
        yield "".join(segment.text for segment in [*turn.prompt, *turn.answer])


# --- batches --------------------------------------------------------------------------------------


def token_weights(segment: Segment, count: int) -> list[float]:
    """Choices are few tokens but whole tasks, and the first token of a value decides where to copy from."""
    if segment.kind == "choice":
        return [6.0 * segment.weight] * count
    if segment.kind in ("string", "number", "literal", "nullable"):
        return [max(3.0, segment.weight), *[segment.weight] * (count - 1)][:count]
    return [segment.weight] * count


def encode(tokenizer: Tokenizer, example: Example, chat: bool = True) -> tuple[list[int], list[float], list[bool]]:
    """Token ids, the weight of predicting each, and whether it belongs to a value of the last answer (or ends one).

    Without `chat` the answer follows the prompt on a new line, as when a user skips the template.
    """
    ids: list[int] = []
    weights: list[float] = []
    values: list[bool] = []

    def add(tokens: list[int], scored: list[float], is_value: bool = False) -> None:
        ids.extend(tokens)
        weights.extend(scored)
        values.extend([is_value] * len(tokens))

    if example.system:
        add([SYSTEM] if chat else [], [0.0] * chat)
        add(*nothing(tokenizer, example.system if chat else example.system + "\n\n"))
    for turn in example.turns:
        add([USER] if chat else [], [0.0] * chat)
        for segment, tokens in tokens_of(tokenizer, turn.prompt):
            add(tokens, token_weights(segment, len(tokens)))
        if not turn.answer:  # another message of the user follows
            continue
        add([ASSISTANT], [0.0]) if chat else add(*nothing(tokenizer, "\n"))
        values = [False] * len(values)
        after_value = False
        for segment, tokens in tokens_of(tokenizer, turn.answer):
            is_value = segment.kind != "forced"
            add(tokens, token_weights(segment, len(tokens)), is_value)
            if after_value and tokens:
                values[-len(tokens)] = True
            after_value = is_value
        add([END], [1.0], after_value)
    return ids, weights, values


def nothing(tokenizer: Tokenizer, text: str) -> tuple[list[int], list[float]]:
    """Tokens that are not scored."""
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    return ids, [0.0] * len(ids)


def tokens_of(tokenizer: Tokenizer, segments: list[Segment]) -> list[tuple[Segment, list[int]]]:
    """Each segment with its tokens."""
    encodings = tokenizer.encode_batch([segment.text for segment in segments], add_special_tokens=False)
    return [(segment, encoding.ids) for segment, encoding in zip(segments, encodings, strict=True)]


def encode_prompt(tokenizer: Tokenizer, example: Example) -> list[int]:
    """The conversation up to the token after which the last answer begins."""
    ids, _, _ = encode(tokenizer, example)
    return ids[: len(ids) - 1 - ids[::-1].index(ASSISTANT) + 1]


def whole_words(tokenizer: Tokenizer) -> list[str]:
    """Tokens of two or more Latin letters and nothing else, for exercises: only there can be learnt which letters they have."""
    texts = (tokenizer.decode([token]) for token in range(len(SPECIAL_TOKENS), tokenizer.get_vocab_size()))
    return sorted({text for text in texts if text.isascii() and text.isalpha() and len(text) > 1})


def echo(world: World, size: int) -> tuple[list[int], list[float]]:
    """Random tokens, then pieces of them again: what follows the first token of a piece is pure copying.

    Every token of the vocabulary takes part, so unseen words are copied as well as known ones. A few examples are
    long, so that copying works from afar.
    """
    low, high = (200, 1900) if world.chance(0.03) else (8, 50)
    count = world.random.randint(low, high)
    shown = [world.random.randrange(len(SPECIAL_TOKENS), size) for _ in range(count)]
    ids, weights = [USER, *shown, ASSISTANT], [0.0] * (len(shown) + 2)
    for _ in range(world.random.randint(2, 5)):
        start = world.random.randrange(len(shown) - 3)
        piece = shown[start : start + world.random.randint(3, 12)]
        ids += piece
        weights += [0.0] + [1.0] * (len(piece) - 1)
    return [*ids, END], [*weights, 0.0]


Batch = tuple[torch.Tensor, torch.Tensor]


class Texts(IterableDataset):
    """Endless batches of one length and about `batch` tokens each, of the phase that the run is in.

    `done` is the share of the run that is behind it, in shared memory, so that processes which write texts see it. What they
    have written ahead, and rows that wait until a batch of their length is full, still belong to the phase before.
    """

    def __init__(self, tokenizer: Tokenizer, seed: int, batch: int, done: float, phases: Sequence[Phase] = PHASES):
        self.tokenizer, self.seed, self.batch, self.phases = tokenizer, seed, batch, phases
        self.done = torch.tensor([done]).share_memory_()

    def __iter__(self) -> Iterator[Batch]:
        writer = get_worker_info()
        world = World(self.seed + 1_000_000 * (writer.id if writer else 0))
        world.whole_words = whole_words(self.tokenizer)
        waiting: dict[int, list] = {length: [] for length in LENGTHS}
        while True:
            done = self.done.item()
            phase = next(phase for phase in self.phases if done < phase.until or phase is self.phases[-1])
            ids, weights = self.drawn(world, phase)
            length = next((length for length in LENGTHS if len(ids) <= length), None)
            if length is None or length > SHORT and not world.chance(phase.long):
                continue
            waiting[length].append((ids, weights))
            if len(waiting[length]) == max(1, self.batch // length):
                yield pad_batch(waiting[length], length)
                waiting[length] = []

    def drawn(self, world: World, phase: Phase) -> tuple[list[int], list[float]]:
        """An example: its ids, and what each counts."""
        if world.chance(phase.echoes):
            ids, weights = echo(world, self.tokenizer.get_vocab_size())
        else:
            ids, weights, _ = encode(self.tokenizer, draw(world, phase.shares), chat=not world.chance(0.06))
            weights = [weight or READING_WEIGHT * world.chance(READING) for weight in weights]
        return ([BOS, *ids], [0.0, *weights]) if world.chance(0.1) else (ids, weights)


def pad_batch(rows: list, length: int) -> Batch:
    """Rows of one length, and their weights."""
    ids = torch.full((len(rows), length), PAD)
    weights = torch.zeros(len(rows), length)
    for row, (row_ids, row_weights) in enumerate(rows):
        ids[row, : len(row_ids)] = torch.tensor(row_ids)
        weights[row, : len(row_ids)] = torch.tensor(row_weights)
    return ids, weights


# --- one step -------------------------------------------------------------------------------------


def batch_loss(model: Decoder, batch: Batch, teacher: Decoder | None = None) -> torch.Tensor:
    """The weighted mean loss of the scored tokens; only they pass the output matrix.

    They are chosen before the batch is moved: how many there are is not known on a GPU until it has caught up. A `teacher`
    is the network that a run goes on from: see `keep_close`.
    """
    ids, weights = batch
    chosen = weights[:, 1:].flatten().nonzero().squeeze(1)
    targets, weights = ids[:, 1:].flatten()[chosen], weights[:, 1:].flatten()[chosen]
    device = model.embed_tokens.weight.device
    ids, chosen, targets, weights = (tensor.to(device, non_blocking=True) for tensor in (ids, chosen, targets, weights))
    with torch.autocast(device.type, torch.bfloat16, enabled=is_quicker_in_16_bits(device)):
        hidden = model(ids)[:, :-1].reshape(-1, model.config.width)[chosen]
        logits = model.logits(hidden)
        losses = F.cross_entropy(logits, targets, reduction="none")
        if teacher is not None:
            with torch.no_grad():
                known = teacher.logits(teacher(ids)[:, :-1].reshape(-1, model.config.width)[chosen])
            losses = keep_close(losses, logits, known, targets)
    return (losses * weights).sum() / weights.sum()


def is_quicker_in_16_bits(device: torch.device) -> bool:
    """Of processors, those that multiply numbers of 16 bits themselves: twice as many of them as of 32."""
    return device.type == "cuda" or torch.cpu._is_avx512_bf16_supported()


def keep_close(losses: torch.Tensor, logits: torch.Tensor, known: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Losses in which half is the distance to the network before, wherever that one is right.

    What it knows stays as it is, and only where it is wrong do the texts alone teach (learning without forgetting,
    Li and Hoiem 2016, by token).
    """
    known = known.log_softmax(-1)
    is_right = known.gather(-1, targets[:, None]).squeeze(-1) > RIGHT
    distances = F.kl_div(logits.log_softmax(-1), known, reduction="none", log_target=True).sum(-1)
    return torch.where(is_right, (losses + distances) / 2, losses)


def make_optimizers(model: Decoder, matrix_rate: float, other_rate: float) -> list[torch.optim.Optimizer]:
    """Muon for the matrices, AdamW for the rest."""
    matrices = [parameter for name, parameter in model.named_parameters() if parameter.ndim == 2 and "embed" not in name]
    others = [parameter for name, parameter in model.named_parameters() if parameter.ndim < 2 or "embed" in name]
    adam = torch.optim.AdamW(others, lr=other_rate, betas=(0.9, 0.98), weight_decay=0.0, fused=True)
    return [Muon(matrices, matrix_rate), adam]


def rate_factor(done: float, step: int, warmup: int = 40, settle: float = 0.04, low: float = 0.4, decay: float = 0.25) -> float:
    """Warm up, run fast until copying has emerged, then slower, and down to zero over the last part."""
    if done < settle:
        return min(1.0, (step + 1) / warmup)
    return low * min(1.0, (1 - done) / decay)


def further_rate_factor(done: float, step: int, warmup: int = 40, low: float = 0.2) -> float:
    """Of weights that are finished: warm up to a low rate, and from there down to zero."""
    return low * min(1.0, (step + 1) / warmup, 1 - done)


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
    """Share of held-out examples (names, values and sentences) whose every value token is the model's first choice.

    What is longer than the context counts as wrong.
    """
    result, device = {}, model.embed_tokens.weight.device
    torch.compiler.set_stance("force_eager")  # every example has another length
    for position, (task, make) in enumerate(TASKS.items()):
        world = World(1000 + position, held_out=True, held_sentences=True)
        right = 0
        for _ in range(count):
            ids, _, values = encode(tokenizer, make(world))
            if len(ids) > model.config.positions:
                continue
            guess = model.logits(model(torch.tensor([ids], device=device)))[0, :-1].argmax(-1).cpu()
            wanted = torch.tensor(values[1:])
            right += bool((guess[wanted] == torch.tensor(ids[1:])[wanted]).all())
        result[task] = right / count
    torch.compiler.set_stance("default")
    return result


# --- the run --------------------------------------------------------------------------------------


def save(path: Path, model: Decoder, optimizers: list, progress: dict[str, int]) -> None:
    """Write a checkpoint, whole or not at all."""
    state = {"model": model.state_dict(), "optimizers": [optimizer.state_dict() for optimizer in optimizers], "config": vars(model.config), **progress}
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
    if options.device != "cpu":
        torch.set_float32_matmul_precision("high")  # some CPUs would round to TF32, too
    tokenizer, checkpoint = Tokenizer.from_file(str(out / "tokenizer.json")), out / "checkpoint.pt"
    model = Decoder(Config(vocabulary=tokenizer.get_vocab_size()))
    if options.source:
        load_weights(model, options.source)
    elif not checkpoint.exists():
        seed_copying(model, words_of(tokenizer))
    model.to(options.device)
    teacher = copy.deepcopy(model).eval() if options.source else None
    optimizers, progress = make_optimizers(model, options.matrix_rate, options.rate), {"step": 0, "tokens": 0, "seconds": 0}
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=False, map_location=options.device)
        model.load_state_dict(state["model"])
        for optimizer, saved in zip(optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
        progress = {name: state[name] for name in progress}
    if options.compile:
        torch._dynamo.config.recompile_limit = 4 * len(LENGTHS)
        for layer in [*model.layers, *(teacher.layers if teacher else [])]:
            layer.compile(dynamic=False)  # equal layers are compiled once
    if rank == 0:
        print(f"parameters {sum(p.numel() for p in model.parameters()):,}, at step {progress['step']}", flush=True)
    run_steps(rank, options, model, teacher, tokenizer, optimizers, progress, checkpoint)


def load_weights(model: Decoder, folder: Path) -> None:
    """Read the weights of a model folder, as `export.py` writes it."""
    model.load_state_dict({name.removeprefix("model."): value.float() for name, value in load_file(folder / "model.safetensors").items()})


def load_batches(options: argparse.Namespace, texts: Texts) -> Iterator[Batch]:
    """Batches, written ahead by other processes if there are any."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # its threads do not survive a fork, and every core has its work
    ahead = {"num_workers": options.writers, "prefetch_factor": 4, "multiprocessing_context": "fork"} if options.writers else {}
    return iter(DataLoader(texts, batch_size=None, pin_memory=options.device != "cpu", **ahead))


class Timer:
    """Tells when something is due that is done every so many minutes."""

    def __init__(self, minutes: float):
        self.minutes, self.last = minutes, time.monotonic()

    def is_due(self) -> bool:
        """Whether the minutes have gone by; they begin anew if so."""
        now = time.monotonic()
        if now - self.last <= 60 * self.minutes:
            return False
        self.last = now
        return True


def run_steps(rank, options, model, teacher, tokenizer, optimizers, progress, checkpoint) -> None:
    """Steps until the tokens or the minutes are used up."""
    phases, factor_of = (FURTHER, further_rate_factor) if options.source else (PHASES, rate_factor)
    texts = Texts(tokenizer, options.seed + 100_000_000 * rank + progress["step"] + 1, options.batch, progress["tokens"] / options.tokens, phases)
    source = load_batches(options, texts)
    began, before, losses = time.time(), dict(progress), []
    telling, saving, checking = Timer(0.5), Timer(1), Timer(options.check_minutes)
    while progress["tokens"] < options.tokens and not ended(options, began):
        done = progress["tokens"] / options.tokens
        texts.done.fill_(done)
        loss = one_step(options, model, teacher, optimizers, next(source), factor_of(done, progress["step"]))
        progress["step"] += 1
        progress["tokens"] += options.batch * options.workers
        progress["seconds"] = before["seconds"] + int(time.time() - began)
        if rank > 0:
            continue
        losses.append(loss)  # left on the device: reading it would wait for the step
        speed = (progress["tokens"] - before["tokens"]) / (time.time() - began)
        if telling.is_due():
            tell(progress, losses, speed)
            losses.clear()
        if saving.is_due():
            save(checkpoint, model, optimizers, progress)
        if checking.is_due():
            report(model, tokenizer, options.check_count)
    if rank == 0:
        if losses:
            tell(progress, losses, speed)
        save(checkpoint, model, optimizers, progress)
        report(model, tokenizer, options.check_count)


def tell(progress: dict[str, int], losses: list[torch.Tensor], speed: float) -> None:
    """Print where the run is: the mean of the latest losses, and tokens a second."""
    loss, minutes, millions = torch.stack(losses).mean(), progress["seconds"] / 60, progress["tokens"] / 1e6
    print(f"step {progress['step']} loss {loss:.4f} minutes {minutes:.1f} Mtokens {millions:.2f} tokens/s {speed:.0f}", flush=True)


def ended(options: argparse.Namespace, began: float) -> bool:
    """Whether the minutes are used up, by the clock of the first worker."""
    is_over = torch.tensor([float(time.time() - began > 60 * options.minutes)])
    if options.workers > 1:
        distributed.broadcast(is_over, 0)
    return bool(is_over.item())


def one_step(options, model, teacher, optimizers, batch: Batch, factor: float) -> torch.Tensor:
    """A step of all optimizers; the loss."""
    loss = batch_loss(model, batch, teacher)
    loss.backward()
    if options.workers > 1:
        average_gradients(model)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    for optimizer, base in zip(optimizers, (options.matrix_rate, options.rate), strict=True):
        for group in optimizer.param_groups:
            group["lr"] = base * factor
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return loss.detach()


def report(model: Decoder, tokenizer: Tokenizer, count: int) -> None:
    """Print what is right of prompts that were held out."""
    found = {task: round(value, 2) for task, value in held_out_accuracy(model, tokenizer, count).items()}
    print("held out", json.dumps(found), f"mean {sum(found.values()) / len(found):.3f}", flush=True)


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="folder of the run; one that holds a checkpoint goes on from it")
    parser.add_argument("--from", dest="source", type=Path, metavar="MODEL", help="model folder whose weights and tokenizer the run goes on from")
    parser.add_argument("--tokens", type=float, help="length of the whole run, padding included; 40 million on a CPU, 1,690 million on a GPU; with --from 12 and 500 million")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop earlier, to go on later")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--vocabulary", type=int, default=Config.vocabulary)
    parser.add_argument("--matrix-rate", type=float, default=5e-3, help="learning rate of Muon")
    parser.add_argument("--rate", type=float, default=2e-3, help="learning rate of AdamW")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--workers", type=int, help="processes that share the work; one on a GPU, else one for each core")
    parser.add_argument("--threads", type=int, default=1, help="threads of each worker")
    parser.add_argument("--writers", type=int, help="processes that write texts; on a GPU all cores but one, else none")
    parser.add_argument("--batch", type=int, help="tokens of a step and worker, padding included; 4,096 on a CPU, 65,536 on a GPU")
    parser.add_argument("--compile", action=argparse.BooleanOptionalAction, help="on a CPU by default; on a GPU it takes longer than it saves")
    parser.add_argument("--check-minutes", type=float, default=20, help="how often held-out examples are tried; at the end they are in any case")
    parser.add_argument("--check-count", type=int, default=24, help="how many of each task")
    options = parser.parse_args()
    cores, is_cpu = len(os.sched_getaffinity(0)), options.device == "cpu"
    kind = "cpu" if is_cpu else "cuda"
    processes = {"workers": cores, "writers": 0} if is_cpu else {"workers": 1, "writers": max(1, cores - 1)}
    defaults = {**processes, "tokens": (FURTHER_TOKENS if options.source else RUN_TOKENS)[kind], "batch": BATCH_TOKENS[kind], "compile": is_cpu}
    for name, value in defaults.items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    return options


def main() -> None:
    options = parse_options()
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "workers").unlink(missing_ok=True)
    if options.source:
        shutil.copy(options.source / "tokenizer.json", out / "tokenizer.json")
    elif not (out / "tokenizer.json").exists():
        train_tokenizer(options.seed, 40_000, options.vocabulary).save(str(out / "tokenizer.json"))
    torch.multiprocessing.spawn(train, (options,), options.workers)


if __name__ == "__main__":
    main()
