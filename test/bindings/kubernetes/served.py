"""The server of the example as a process of its own, with certificates made for it alone."""

import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
import trustme

SECONDS_TO_START = 300  # for what hangs, not for a busy machine


def free_ports(count):
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


class Served:
    """A running server. `client()` speaks to it with a certificate, unless that is left out."""

    def __init__(self, example, model, settings='"nodes": {"large-*": "60Gi"}'):
        self.folder = Path(tempfile.mkdtemp(prefix="memmodel-served-"))
        models = self.folder / "models"
        models.mkdir()
        shutil.copy(model, models / "unet3d.json")
        policy = self.folder / "policy.json"
        policy.write_text(f'{{"model_directory": "{models}", {settings}}}')
        self.make_certificates()
        self.port, self.probe_port = free_ports(2)
        self.log = (self.folder / "log").open("w+")
        words = [policy, "--host", "127.0.0.1", "--port", self.port, "--probe-port", self.probe_port]
        words += ["--certificate", self.file("server.pem"), "--key", self.file("server.key"), "--client-ca"]
        command = [sys.executable, example / "server.py", *words, self.file("ca.pem")]
        self.process = subprocess.Popen([str(word) for word in command], stdout=self.log, stderr=self.log)
        self.wait_until_ready()

    def make_certificates(self):
        authority = trustme.CA()
        authority.cert_pem.write_to_path(self.file("ca.pem"))
        for name in ("server", "client"):
            issued = authority.issue_cert("localhost", "127.0.0.1")
            issued.private_key_pem.write_to_path(self.file(f"{name}.key"))
            issued.cert_chain_pems[0].write_to_path(self.file(f"{name}.pem"))

    def file(self, name):
        return str(self.folder / name)

    def wait_until_ready(self):
        end = time.monotonic() + SECONDS_TO_START
        while time.monotonic() < end and self.process.poll() is None:
            try:
                if self.probe("/readyz").status_code == 200:
                    return
            except httpx.TransportError:
                time.sleep(0.05)
        self.stop()
        raise AssertionError(f"the server does not start: {self.said()}")

    def probe(self, path):
        return httpx.get(f"http://127.0.0.1:{self.probe_port}{path}", timeout=20)

    def metric(self, name):
        lines = self.probe("/metrics").text.splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name))

    def tls(self, with_certificate=True):
        context = ssl.create_default_context(cafile=self.file("ca.pem"))
        if with_certificate:
            context.load_cert_chain(self.file("client.pem"), self.file("client.key"))
        return context

    def client(self, with_certificate=True):
        return httpx.Client(base_url=f"https://localhost:{self.port}", verify=self.tls(with_certificate), timeout=30)

    def connect(self):
        """A connection for what no HTTP client would send."""
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        return self.tls().wrap_socket(plain, server_hostname="localhost")

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def close(self):
        self.stop()
        self.log.close()
        shutil.rmtree(self.folder)
