"""The application: routes, the key, and errors as answers.

::

    app = create_app(fw.load("formwright-tiny"), Settings(api_key="secret"))  # an ASGI application; `serving` runs it
"""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from formwright.models import LocalModel
from formwright.server.endpoints import Server
from formwright.server.errors import Refusal, make_refusal
from formwright.server.gate import ENDPOINTS, Gate
from formwright.server.settings import Settings

__all__ = ["create_app"]

_AZURE = "/openai/deployments/{deployment}"
"""How the paths of Azure's SDK begin, which name the model."""


def _send_refusal(_: Request, error: Exception) -> Response:
    refusal = make_refusal(error, None)
    return JSONResponse(refusal.body, refusal.status, refusal.headers)


def _send_not_found(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    path = request.url.path
    tail = next((tail for tail in (*ENDPOINTS, "/models") if status == 404 and path.endswith(tail)), None)
    headers = error.headers if isinstance(error, HTTPException) else None  # of a 405, the methods
    hint = f"; did you mean /v1{tail}? The base_url of clients ends with /v1" if tail else ""
    refusal = Refusal(status, f"there is no {request.method} {path}{hint}", code="unknown_url")
    return JSONResponse(refusal.body, status, headers)


def _drop_abandoned_request(_: Request, __: Exception) -> Response:
    return Response(status_code=499)  # nobody reads it


def _list_routes(server: Server) -> list[Route]:
    routes = [
        Route("/", server.show_page),
        Route("/health", server.show_health),
        Route("/metrics", server.show_metrics),
    ]
    for prefix in ("/v1", "/openai/v1"):
        routes += [
            Route(f"{prefix}/models", server.list_models),
            Route(f"{prefix}/models/{{name:path}}", server.show_model),
            Route(f"{prefix}/chat/completions", server.create_chat_completion, methods=["POST"]),
            Route(f"{prefix}/responses", server.create_response, methods=["POST"]),
            Route(f"{prefix}/responses/{{id}}", server.handle_stored_response, methods=["GET", "DELETE"]),
            Route(f"{prefix}/completions", server.create_completion, methods=["POST"]),
        ]
    return [
        *routes,
        Route(f"{_AZURE}/chat/completions", server.create_chat_completion, methods=["POST"]),
        Route(f"{_AZURE}/completions", server.create_completion, methods=["POST"]),
        Route("/openai/responses", server.create_response, methods=["POST"]),
        Route("/openai/models", server.list_models),
    ]


def create_app(model: LocalModel, settings: Settings | None = None) -> Starlette:
    """Make an ASGI application that serves a model.

    Args:
        model: The model.
        settings: Its names, key and limits.
    """
    server = Server(model, settings or Settings())
    app = Starlette(
        routes=_list_routes(server),
        lifespan=server.lifespan,
        exception_handlers={
            Refusal: _send_refusal,
            ClientDisconnect: _drop_abandoned_request,
            HTTPException: _send_not_found,
            Exception: _send_refusal,
        },
    )
    given = server.settings
    hosts = given.hosts if given.api_key is None else None  # a page of another site does not know the key
    app.add_middleware(Gate, api_key=given.api_key, hosts=hosts, metrics=server.metrics)
    if given.origins:
        app.add_middleware(
            CORSMiddleware, allow_origins=given.origins, allow_methods=["GET", "POST"], allow_headers=["*"]
        )
    app.state.server = server
    return app
