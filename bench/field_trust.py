"""What the fields of answers cost, and how often doubt is right.

::

    python bench/field_trust.py map.json 750

The map is one that ``formwright evaluate extraction --missing 0.2 --n 1500 --calibrate map.json`` has written; the
questions are other ones of the same task. Each is answered three times, in turns: plainly, with the probabilities of
its fields, and abstaining below 0.5. An abstention is right if the value would have been wrong. What is made once for a
form (0.4 s for its canonical tokens) is made before the first one.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from typing import Any

import numpy as np

import formwright as fw
from formwright.evaluation.built_in import make_built_in_task
from formwright.evaluation.tasks import is_same

BOUND = 0.5
SEEN = 1_500
"""The questions that the map may have seen."""


def main(path: str, count: int, name: str = "formwright-tiny") -> None:
    """Answer the questions, and print ratios of times and counts of abstentions."""
    model, counts = fw.load(name), Counter[str]()
    task = make_built_in_task("extraction", "en", SEEN + count, missing=0.2)
    form, times = fw.json_schema(dict(task.answer)), list[list[float]]()
    ways: list[dict[str, Any]] = [{}, {"fields": True}, {"abstain": BOUND, "calibration": path}]
    for options in ways:
        model.generate("Ada", form, max_tokens=256, **options)
    for item in task.items[SEEN:]:
        results, spent = [], []
        for options in ways:
            began = time.perf_counter()
            results.append(model.generate(f"{item.question}\n{task.about[0]}", form, max_tokens=256, **options))
            spent.append(time.perf_counter() - began)
        times.append(spent)
        plain, _, sure = (result.value for result in results)
        for field, value in plain.items():
            was_right = is_same(value, item.answer[field])
            counts["right" if was_right else "wrong"] += 1
            if sure[field] is None and value is not None:
                counts["abstained, value right" if was_right else "abstained, value wrong"] += 1
            counts["right with abstention"] += is_same(sure[field], item.answer[field])
    seconds = np.array(times)
    for number, options in enumerate(ways):
        samples = np.random.default_rng(0).integers(len(seconds), size=(1_000, len(seconds)))
        ratios = seconds[samples, number].sum(1) / seconds[samples, 0].sum(1)
        low, high = np.quantile(ratios, [0.025, 0.975])
        ratio = seconds[:, number].sum() / seconds[:, 0].sum()
        print(f"{1000 * seconds[:, number].mean():.1f} ms, {ratio:.3f} of plain ({low:.3f} to {high:.3f}): {options}")
    print(dict(counts))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
