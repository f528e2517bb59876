"""What each worker process does: uvicorn carries requests to the webhook, and each time and size has its limit."""

from __future__ import annotations

import asyncio
import ctypes
import json
import signal
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import uvloop
import webhook
from metrics import CONNECTIONS, HELD, Counts
from sizing import Models, Policy
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_BODY = 4 * 2**20  # bytes of a request; the API server itself takes no pod of more than 3 MiB
MAX_HELD = 64 * 2**20  # bytes of all bodies that are being read
MAX_HEAD = 64 * 2**10  # bytes of a request line and headers
HANDSHAKE_SECONDS = 5
HEAD_SECONDS = 5  # to the end of a request's headers
BODY_SECONDS = 5
REQUEST_SECONDS = 10  # from there to the end of the reply, taken by the client
SMALL_REPLY = 16 * 2**10  # bytes that a connection's buffers take without waiting for the client

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


# ---- limits that uvicorn does not have ----


class Loop(uvloop.Loop):
    """uvloop; all workers listen on one port, and a TLS handshake takes HANDSHAKE_SECONDS at most."""

    async def create_server(self, *arguments: Any, ssl: Any = None, **options: Any) -> Any:
        if ssl is not None:
            options["ssl_handshake_timeout"] = HANDSHAKE_SECONDS
        return await super().create_server(*arguments, ssl=ssl, reuse_port=True, **options)


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
        self._unset_keepalive_if_required()  # uvicorn leaves it to run after a reset, and holds the connection by it

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


class CountedProtocol(Protocol):
    """Tells the webhook how many connections there are."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.count_connections()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.count_connections()

    def count_connections(self) -> None:
        self.config.loaded_app.counts.set(CONNECTIONS, len(self.connections))


# ---- the application ----


@dataclass(frozen=True)
class Webhooks:
    """Makes the webhook of a worker, in it."""

    policy: Path
    counts: Counts
    max_held: int

    def __call__(self) -> Webhook:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        self.counts.claim()
        return Webhook(Policy.load(self.policy), self.counts, self.max_held)


PR_SET_PDEATHSIG = 1  # linux/prctl.h: no worker outlives the process that started it


class Refused(Exception):
    """A request that is not read to its end."""

    def __init__(self, status: int, reason: str) -> None:
        self.status, self.reason = status, reason


class Webhook:
    """POST /mutate and /filter."""

    def __init__(self, policy: Policy, counts: Counts, max_held: int) -> None:
        self.policy, self.models, self.counts = policy, Models(policy.model_directory), counts
        self.held, self.max_held = 0, max_held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started, status = perf_counter(), 500
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                status = await self.answer(scope, receive, send)
        except TimeoutError:
            status = 0  # uvicorn closes a connection whose reply is not complete
        finally:
            path = scope["path"] if scope["path"] in webhook.ANSWERS else "other"
            self.counts.answered(path, status, perf_counter() - started)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> int:
        status, reason = 408, f"the body took longer than {BODY_SECONDS} seconds"
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await self.read(scope, receive)
        except TimeoutError:
            pass
        except Refused as problem:  # not kept itself: it refers to what has been read
            status, reason = problem.status, problem.reason
        else:
            status, reply = webhook.answer(scope["path"], body, self.policy, self.models)
            await respond(send, status, reply)
            return status
        await respond(send, status, json.dumps({"error": reason}).encode(), close=True)
        return status

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
                if self.held + len(part) > self.max_held:
                    raise Refused(503, "too many large requests at once")
                body += part
                self.hold(len(part))
            return bytes(body)
        finally:
            self.hold(-len(body))

    def hold(self, size: int) -> None:
        self.held += size
        self.counts.set(HELD, self.held)


def declared_length(scope: Scope) -> int:
    """0 where a body comes in chunks. uvicorn has refused what is no number."""
    return next((int(value) for name, value in scope["headers"] if name == b"content-length"), 0)


async def respond(send: Send, status: int, body: bytes, kind: bytes = b"application/json", close: bool = False) -> None:
    """Returns when the client has taken a large body but for what the system's buffers hold."""
    headers = [(b"content-type", kind), (b"content-length", b"%d" % len(body))]
    headers += [(b"connection", b"close")] if close else []
    await send({"type": "http.response.start", "status": status, "headers": headers})
    if len(body) > SMALL_REPLY:
        await send({"type": "http.response.body", "body": body, "more_body": True})
        body = b""
    await send({"type": "http.response.body", "body": body})
