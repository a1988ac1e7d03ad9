"""What the server counts, for Prometheus.

::

    metrics = Metrics(Worker(model.batch, rows=1, waiting=1))
    metrics.requests.labels("chat", "200").inc()
    metrics.text                        # what /metrics answers

Each server has a registry of its own, so that several live in one process.
"""

from __future__ import annotations

from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from formwright.server.reading.orders import Order, sum_tokens
from formwright.server.worker import Worker

__all__ = ["Metrics"]

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """The numbers of one server."""

    def __init__(self, worker: Worker) -> None:
        own = self._registry = CollectorRegistry()
        self.requests = Counter(
            "formwright_requests", "Requests, by endpoint and status.", ["endpoint", "status"], registry=own
        )
        self.tokens = Counter("formwright_tokens", "Tokens: prompt, written, forced, scored.", ["kind"], registry=own)
        self.seconds = Histogram(
            "formwright_request_seconds", "Seconds of a request.", ["endpoint"], buckets=_SECONDS, registry=own
        )
        self.first_token = Histogram(
            "formwright_first_token_seconds", "Seconds to the first token.", buckets=_SECONDS, registry=own
        )
        Gauge("formwright_rows", "Texts that are being written.", registry=own).set_function(
            lambda: worker.running_count
        )
        Gauge("formwright_waiting", "Texts that wait for a row.", registry=own).set_function(
            lambda: worker.waiting_count
        )

    def count_tokens(self, orders: Sequence[Order]) -> None:
        """Count the tokens of a request that is over or was abandoned."""
        for kind, count in sum_tokens(orders)._asdict().items():
            self.tokens.labels(kind).inc(count)

    @property
    def text(self) -> bytes:
        """All numbers, as Prometheus reads them."""
        return generate_latest(self._registry)
