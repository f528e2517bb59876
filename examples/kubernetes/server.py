"""The server: workers answer Kubernetes over mutual TLS, and this process watches over them.

usage: server.py POLICY.json [--port 8443 --certificate FILE --key FILE --client-ca FILE] [--probe-port 8081]
                 [--workers 2]

Admission reviews and filters are answered on one port, to clients with a certificate of the client CA. Health and
metrics are on another one, in the clear: the kubelet and Prometheus have no such certificate.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import threading
from collections.abc import Callable
from pathlib import Path
from ssl import CERT_NONE, CERT_REQUIRED, SSLContext
from typing import Any

import uvicorn
from metrics import Counts, registry_of
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from sizing import Policy
from uvicorn.supervisors import Multiprocess
from worker import MAX_HELD, CountedProtocol, Loop, Protocol, Receive, Scope, Send, Webhooks, respond

MAX_CONNECTIONS = 2000
MAX_PROBES = 100  # connections to the port of the probes
KEEP_ALIVE_SECONDS = 120  # the API server lets a connection go after 90: it never meets one that is being closed
STOP_SECONDS = 15  # for what is being answered when SIGTERM comes


class Supervisor(Multiprocess):
    """uvicorn's, which starts workers anew that end; it also knows whether any of them listens."""

    listens = False

    def keep_subprocess_alive(self) -> None:
        super().keep_subprocess_alive()
        self.listens = any(process.is_ready() for process in self.processes)

    def is_ready(self) -> bool:
        return self.listens and not self.should_exit.is_set()


class Probes:
    """GET /healthz: the process answers; /readyz: a worker wants requests; /metrics: for Prometheus."""

    def __init__(self, counts: Counts, is_ready: Callable[[], bool]) -> None:
        self.registry, self.is_ready = registry_of(counts), is_ready

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/metrics":
            await respond(send, 200, generate_latest(self.registry), CONTENT_TYPE_LATEST.encode())
        elif scope["path"] == "/healthz" or (scope["path"] == "/readyz" and self.is_ready()):
            await respond(send, 200, b'{"status": "ok"}')
        else:
            await respond(send, 503 if scope["path"] == "/readyz" else 404, b"{}")


def config_of(application: Any, host: str, port: int, **options: Any) -> uvicorn.Config:
    return uvicorn.Config(
        application,
        host=host,
        port=port,
        loop="worker:Loop",
        ws="none",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=STOP_SECONDS,
        **options,
    )


def without_tickets(_: uvicorn.Config, context_of: Callable[[], SSLContext]) -> SSLContext:
    """The API server resumes no session, and to write tickets for that is a third of what a handshake costs."""
    context = context_of()
    context.num_tickets = 0
    return context


def tls_of(options: argparse.Namespace) -> dict[str, Any]:
    if options.certificate is None:
        return {}
    return {
        "ssl_context_factory": without_tickets,
        "ssl_certfile": options.certificate,
        "ssl_keyfile": options.key,
        "ssl_ca_certs": options.client_ca,
        "ssl_cert_reqs": CERT_NONE if options.client_ca is None else CERT_REQUIRED,
    }


def webhook_of(options: argparse.Namespace, host: str, counts: Counts) -> uvicorn.Config:
    """For a worker: each has its share of what all may hold."""
    application = Webhooks(options.policy, counts, MAX_HELD // options.workers)
    return config_of(
        application,
        host,
        options.port,
        factory=True,
        http=CountedProtocol,
        workers=options.workers,
        limit_concurrency=MAX_CONNECTIONS // options.workers,
        **tls_of(options),
    )


def serve_probes(config: uvicorn.Config) -> None:
    with asyncio.Runner(loop_factory=Loop) as runner:
        runner.run(uvicorn.Server(config).serve())


def serve(options: argparse.Namespace) -> None:
    policy, counts = Policy.load(options.policy), Counts(multiprocessing.get_context("spawn"))
    host = options.host if options.host is not None else "" if options.certificate else "127.0.0.1"
    supervisor = Supervisor(webhook_of(options, host, counts), None)  # type: ignore[arg-type] # workers make the sockets
    probes = Probes(counts, lambda: supervisor.is_ready() and policy.model_directory.is_dir())
    config_of(probes, host, options.port, **tls_of(options)).load()  # a wrong file is told of before workers start
    probes_config = config_of(probes, host, options.probe_port, http=Protocol, limit_concurrency=MAX_PROBES)
    threading.Thread(target=serve_probes, args=[probes_config], daemon=True).start()
    supervisor.run()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("policy", type=Path)
    parser.add_argument("--host", help="address to listen on; without a certificate the loopback, else all of them")
    parser.add_argument("--port", type=int, default=8443)
    parser.add_argument("--probe-port", type=int, default=8081, help="of /healthz, /readyz and /metrics")
    parser.add_argument("--certificate", type=Path, help="PEM; the API server speaks HTTPS only")
    parser.add_argument("--key", type=Path, help="of the certificate")
    parser.add_argument("--client-ca", type=Path, help="PEM; only clients with a certificate of this CA are answered")
    parser.add_argument("--workers", type=int, choices=range(1, 17), default=2, help="processes that answer, 1 to 16")
    serve(parser.parse_args())


if __name__ == "__main__":
    main()
