"""``formwright serve``: serve a model over OpenAI's protocol."""

from __future__ import annotations

import ipaddress

import click

from formwright.cli.shared import add_model_option, load_local_model

__all__ = ["serve"]


@click.command()
@add_model_option
@click.option(
    "--name", "names", multiple=True, help="What requests call the model; repeat the option. [default: its own]"
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="Port to listen at.")
@click.option("--api-key", envvar="FORMWRIGHT_API_KEY", help="What clients must send.  [env: FORMWRIGHT_API_KEY]")
@click.option("--open", "is_open", is_flag=True, help="Serve other machines without a key.")
@click.option("--max-batch", type=click.IntRange(1), default=64, show_default=True, help="Texts written at a time.")
@click.option("--max-waiting", type=click.IntRange(1), default=1024, show_default=True, help="Texts that may wait.")
@click.option("--max-body", type=click.IntRange(1), default=4 << 20, show_default=True, help="Most bytes of a request.")
@click.option(
    "--max-connections", type=click.IntRange(1), default=1024, show_default=True, help="Connections that may be open."
)
@click.option(
    "--store", type=click.IntRange(0), default=0, show_default=True, help="Responses kept for previous_response_id."
)
@click.option(
    "--allow-host", "hosts", multiple=True, help="Another name of the server in URLs (Host); repeat the option."
)
@click.option(
    "--allow-origin", "origins", multiple=True, help="Let pages of this origin in (CORS), * for all; repeat the option."
)
@click.option("--timeout", type=click.FloatRange(0, min_open=True), default=600.0, help="Most seconds of a request.")
@click.option(
    "--drain", type=click.FloatRange(0), default=30.0, show_default=True, help="Seconds to finish at the end."
)
@click.option(
    "--log-level", type=click.Choice(["debug", "info", "warning", "error"]), default="info", help="What to log."
)
def serve(
    model: str,
    names: tuple[str, ...],
    host: str,
    port: int,
    api_key: str | None,
    is_open: bool,
    max_batch: int,
    max_waiting: int,
    max_body: int,
    max_connections: int,
    store: int,
    hosts: tuple[str, ...],
    origins: tuple[str, ...],
    timeout: float,
    drain: float,
    log_level: str,
) -> None:
    """Serve a model over OpenAI's protocol, with structured output, and a page that shows how it is written.

    The page is at http://HOST:PORT/, the API below http://HOST:PORT/v1.
    """
    from formwright import server

    if not (_is_loopback(host) or api_key or is_open):
        raise click.UsageError(f"--host {host} lets other machines in: give --api-key, or --open to let all of them.")
    settings = server.Settings(
        names=names,
        api_key=api_key or None,
        max_batch=max_batch,
        max_waiting=max_waiting,
        max_body=max_body,
        max_connections=max_connections,
        store=store,
        hosts=hosts,
        origins=origins,
        timeout=timeout,
    )
    loaded = load_local_model(model)

    def show_url(url: str) -> None:
        click.echo(f"{', '.join(names or (loaded.name,))} at {url}/v1, and a page at {url}/", err=True)

    try:
        server.serve(loaded, settings, host=host, port=port, drain=drain, log_level=log_level, started=show_url)
    except OSError as error:
        raise click.ClickException(f"cannot listen at {host}:{port}: {error.strerror}; give another --port") from None


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
