"""A server that speaks OpenAI's protocol, for models whose answers conform.

::

    with running(fw.load("formwright-tiny")) as server:      # or on the command line: formwright serve
        server.base_url                                      # what clients are given

==================  ==============================================================================
`serving`           the application at a port; `connections`, how many and how long
`app`               routes; `gate` checks keys and counts; `endpoints`, from a request to its answer; `settings`
`protocols`         how each endpoint reads requests and writes answers and streams
`requests`          what may be in a request: `body_parts`; `fields`, what is ignored or refused
`body_reader`       a request, checked; `json_body`, its JSON in bounded time
`shapes`            the form of an answer, in every spelling; `tool_choice`, `structural`
`conversation`      what the model is given to read
`store`             responses that later requests continue
`answering`         from a request to `events`; `pool` compiles; `worker` writes all rows in one thread
`orders`            what is to be written; `generation_options`; `echo`, a prompt that is repeated
`request_reader`    what is written, read as events; `thoughts`, where a thought ends
`chat` ...          how events are written down: `chat`, `responses`, `completions`
==================  ==============================================================================

The modules here need formwright[server]. One process serves one model; for more, run several processes and a load
balancer.
"""

from __future__ import annotations

from formwright._extras import needs

with needs("server", "the server"):
    from formwright.server.app import create_app
    from formwright.server.serving import Running, running, serve
    from formwright.server.settings import Settings

__all__ = ["Running", "Settings", "create_app", "running", "serve"]
