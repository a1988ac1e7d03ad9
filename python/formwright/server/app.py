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
from formwright.server.keys import ENDPOINTS, Keys
from formwright.server.settings import Settings

__all__ = ["create_app"]


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


def _end_left_request(_: Request, __: Exception) -> Response:
    return Response(status_code=499)  # nobody reads it


def create_app(model: LocalModel, settings: Settings | None = None) -> Starlette:
    """An ASGI application that serves a model.

    Args:
        model: The model.
        settings: Its names, key and limits.
    """
    server = Server(model, settings or Settings())
    routes = [
        Route("/", server.page),
        Route("/health", server.health),
        Route("/metrics", server.show_metrics),
    ]
    for prefix in ("/v1", "/openai/v1"):
        routes += [
            Route(f"{prefix}/models", server.models),
            Route(f"{prefix}/models/{{name:path}}", server.one_model),
            Route(f"{prefix}/chat/completions", server.chat, methods=["POST"]),
            Route(f"{prefix}/responses", server.responses, methods=["POST"]),
            Route(f"{prefix}/responses/{{id}}", server.stored_response, methods=["GET", "DELETE"]),
            Route(f"{prefix}/completions", server.completions, methods=["POST"]),
        ]
    routes += [
        Route("/openai/deployments/{deployment}/chat/completions", server.chat, methods=["POST"]),
        Route("/openai/deployments/{deployment}/completions", server.completions, methods=["POST"]),
        Route("/openai/responses", server.responses, methods=["POST"]),
        Route("/openai/models", server.models),
    ]
    app = Starlette(
        routes=routes,
        lifespan=server.lifespan,
        exception_handlers={
            Refusal: _send_refusal,
            ClientDisconnect: _end_left_request,
            HTTPException: _send_not_found,
            Exception: _send_refusal,
        },
    )
    given = server.settings
    hosts = given.hosts if given.api_key is None else None  # a page of another site does not know the key
    app.add_middleware(Keys, api_key=given.api_key, hosts=hosts, metrics=server.metrics)
    if given.origins:
        app.add_middleware(
            CORSMiddleware, allow_origins=given.origins, allow_methods=["GET", "POST"], allow_headers=["*"]
        )
    app.state.server = server
    return app
