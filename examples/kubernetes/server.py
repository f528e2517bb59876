"""The server: uvicorn carries requests to the webhook over mutual TLS, and each time and size has its limit.

usage: server.py POLICY.json [--port 8443 --certificate FILE --key FILE --client-ca FILE] [--probe-port 8081]

Admission reviews and filters are answered on one port, to clients with a certificate of the client CA. Health and
metrics are on another one, in the clear: the kubelet and Prometheus have no such certificate.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from ssl import CERT_NONE, CERT_REQUIRED
from time import perf_counter
from typing import Any

import uvicorn
import uvloop
import webhook
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from sizing import Models, Policy
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_BODY = 4 * 2**20  # bytes of a request; the API server itself takes no pod of more than 3 MiB
MAX_HELD = 64 * 2**20  # bytes of all bodies that are being read
MAX_HEAD = 64 * 2**10  # bytes of a request line and headers
MAX_CONNECTIONS = 2000
HANDSHAKE_SECONDS = 5
HEAD_SECONDS = 5  # to the end of a request's headers
BODY_SECONDS = 5
REQUEST_SECONDS = 10  # from there to the end of the reply, taken by the client
KEEP_ALIVE_SECONDS = 120  # the API server lets a connection go after 90: it never meets one that is being closed
STOP_SECONDS = 15  # for what is being answered when SIGTERM comes

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


# ---- limits that uvicorn does not have ----


class Loop(uvloop.Loop):
    """uvloop, which waits for a TLS handshake no longer than HANDSHAKE_SECONDS; a minute is its own default."""

    async def create_server(self, *arguments: Any, ssl: Any = None, **options: Any) -> Any:
        if ssl is not None:
            options["ssl_handshake_timeout"] = HANDSHAKE_SECONDS
        return await super().create_server(*arguments, ssl=ssl, **options)


class Protocol(HttpToolsProtocol):
    """uvicorn's, with limits to the time and the size of a request's line and headers."""

    head_timer: asyncio.TimerHandle | None = None
    head_bytes = 0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.begin_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self.end_head()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.head_timer is None and self.cycle.response_complete:
            self.begin_head()
        self.head_bytes += len(data)
        super().data_received(data)
        if self.head_timer is not None and self.head_bytes > MAX_HEAD:
            self.transport.abort()

    def on_headers_complete(self) -> None:
        self.end_head()
        super().on_headers_complete()

    def begin_head(self) -> None:
        self.head_bytes = 0
        self.head_timer = self.loop.call_later(HEAD_SECONDS, self.transport.abort)

    def end_head(self) -> None:
        if self.head_timer is not None:
            self.head_timer.cancel()
            self.head_timer = None


# ---- applications ----


class Metrics:
    """What Prometheus is told."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.requests = Counter("memmodel_requests", "requests answered", ["path", "status"], registry=self.registry)
        self.seconds = Histogram(
            "memmodel_request_seconds",
            "from the end of the headers to the end of the reply",
            buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 1, 5),
            registry=self.registry,
        )
        self.held = Gauge("memmodel_held_bytes", "bodies that are being read", registry=self.registry)
        self.connections = Gauge("memmodel_connections", "open connections of clients", registry=self.registry)


class Refused(Exception):
    """A request that is not read to its end."""

    def __init__(self, status: int, reason: str) -> None:
        self.status, self.reason = status, reason


class Webhook:
    """POST /mutate and /filter."""

    def __init__(self, policy: Policy, metrics: Metrics) -> None:
        self.policy, self.models, self.metrics = policy, Models(policy.model_directory), metrics
        self.held = 0
        metrics.held.set_function(lambda: self.held)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = perf_counter()
        path = scope["path"] if scope["path"] in webhook.ANSWERS else "other"
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                status = await self.answer(scope, receive, send)
        except TimeoutError:
            status = 0  # uvicorn closes a connection whose reply is not complete
        self.metrics.requests.labels(path, status).inc()
        self.metrics.seconds.observe(perf_counter() - started)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> int:
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await self.read(scope, receive)
        except TimeoutError:
            refusal = Refused(408, f"the body took longer than {BODY_SECONDS} seconds")
        except Refused as problem:
            refusal = problem
        else:
            status, reply = webhook.answer(scope["path"], body, self.policy, self.models)
            await respond(send, status, reply)
            return status
        await respond(send, refusal.status, json.dumps({"error": refusal.reason}).encode(), close=True)
        return refusal.status

    async def read(self, scope: Scope, receive: Receive) -> bytes:
        """The body. What would be too much is refused as soon as that is known, and is not kept."""
        if scope["method"] != "POST":
            raise Refused(405, "POST /mutate or /filter")
        if declared_length(scope) > MAX_BODY:
            raise Refused(413, f"a body has {MAX_BODY} bytes at most")
        body = bytearray()
        try:
            more = True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Refused(400, "the client went away")
                part, more = message.get("body", b""), message.get("more_body", False)
                if len(body) + len(part) > MAX_BODY:
                    raise Refused(413, f"a body has {MAX_BODY} bytes at most")
                if self.held + len(part) > MAX_HELD:
                    raise Refused(503, "too many large requests at once")
                body += part
                self.held += len(part)
            return bytes(body)
        finally:
            self.held -= len(body)


def declared_length(scope: Scope) -> int:
    """0 where a body comes in chunks. uvicorn has refused what is no number."""
    return next((int(value) for name, value in scope["headers"] if name == b"content-length"), 0)


async def respond(send: Send, status: int, body: bytes, kind: bytes = b"application/json", close: bool = False) -> None:
    """Returns when the client has taken all but what the system's buffers hold."""
    headers = [(b"content-type", kind), (b"content-length", b"%d" % len(body))]
    headers += [(b"connection", b"close")] if close else []
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


class Probes:
    """GET /healthz: the process answers; /readyz: it also wants requests; /metrics: for Prometheus."""

    def __init__(self, metrics: Metrics, is_ready: Callable[[], bool]) -> None:
        self.metrics, self.is_ready = metrics, is_ready

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/metrics":
            await respond(send, 200, generate_latest(self.metrics.registry), CONTENT_TYPE_LATEST.encode())
        elif scope["path"] == "/healthz" or (scope["path"] == "/readyz" and self.is_ready()):
            await respond(send, 200, b'{"status": "ok"}')
        else:
            await respond(send, 503 if scope["path"] == "/readyz" else 404, b"{}")


# ---- the servers ----


def server_of(application: Any, host: str, port: int, **options: Any) -> uvicorn.Server:
    config = uvicorn.Config(
        application,
        host=host,
        port=port,
        http=Protocol,
        ws="none",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=STOP_SECONDS,
        **options,
    )
    return uvicorn.Server(config)


def tls_of(options: argparse.Namespace) -> dict[str, Any]:
    if options.certificate is None:
        return {}
    return {
        "ssl_certfile": options.certificate,
        "ssl_keyfile": options.key,
        "ssl_ca_certs": options.client_ca,
        "ssl_cert_reqs": CERT_NONE if options.client_ca is None else CERT_REQUIRED,
    }


async def serve(options: argparse.Namespace) -> None:
    policy, metrics = Policy.read(options.policy), Metrics()
    host = options.host if options.host is not None else "" if options.certificate else "127.0.0.1"
    server = server_of(
        Webhook(policy, metrics), host, options.port, limit_concurrency=MAX_CONNECTIONS, **tls_of(options)
    )
    probes = server_of(
        Probes(metrics, lambda: server.started and not server.should_exit and policy.model_directory.is_dir()),
        host,
        options.probe_port,
        limit_concurrency=100,
    )
    metrics.connections.set_function(lambda: len(server.server_state.connections))
    # Signals go to the server that has begun last, and from it to the other one when it has come to its end.
    await asyncio.gather(probes.serve(), server.serve())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("policy", type=Path)
    parser.add_argument("--host", help="address to listen on; without a certificate the loopback, else all of them")
    parser.add_argument("--port", type=int, default=8443)
    parser.add_argument("--probe-port", type=int, default=8081, help="of /healthz, /readyz and /metrics")
    parser.add_argument("--certificate", type=Path, help="PEM; the API server speaks HTTPS only")
    parser.add_argument("--key", type=Path, help="of the certificate")
    parser.add_argument("--client-ca", type=Path, help="PEM; only clients with a certificate of this CA are answered")
    options = parser.parse_args()
    with asyncio.Runner(loop_factory=Loop) as runner:
        runner.run(serve(options))


if __name__ == "__main__":
    main()
