"""The server of the example, driven by a real HTTP client over mutual TLS, and by clients that mean no good.

usage: test_server.py EXAMPLE_FOLDER MODEL.json
"""

import contextlib
import os
import resource
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

import httpx
from served import Served

HERE = Path(__file__).resolve().parent
EXAMPLE, MODEL = (Path(word).resolve() for word in sys.argv[1:3])
REVIEW = (HERE / "requests" / "review.json").read_bytes()
MIB = 2**20
BODY_SECONDS = 5  # that the server takes a body for
HEAD = b"POST /mutate HTTP/1.1\r\nHost: localhost\r\n"


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4096)), hard))
        cls.served = Served(EXAMPLE, MODEL)
        cls.addClassCleanup(cls.served.close)

    def client(self, **options):
        client = self.served.client(**options)
        self.addCleanup(client.close)
        return client

    def post(self, content, path="/mutate", **options):
        return self.client().post(path, content=content, **options)

    def hold(self, count, text):
        """So many connections that have sent that."""
        held = [self.served.connect() for _ in range(count)]
        for connection in held:
            self.addCleanup(connection.close)
            connection.sendall(text)
        return held

    def assert_answers(self):
        reply = self.post(REVIEW)
        self.assertEqual(reply.status_code, 200)
        self.assertIn("patch", reply.json()["response"])

    def seconds_until_closed(self, connection):
        begin = time.monotonic()
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            while connection.recv(4096):
                pass
        return time.monotonic() - begin


class Answers(Case):
    def test_reviews_and_filters_come_and_go_on_one_connection(self):
        client = self.client()
        for _ in range(3):
            reply = client.post("/mutate?timeout=5s", content=REVIEW)
            self.assertEqual((reply.status_code, reply.headers["content-type"]), (200, "application/json"))
            self.assertIn("patch", reply.json()["response"])
        reply = client.post("/filter", content=(HERE / "requests" / "filter.json").read_bytes())
        self.assertEqual(len(reply.json()["Nodes"]["items"]), 1)

    def test_what_is_no_review_is_reported_so(self):
        self.assertEqual(self.post(b"{").status_code, 400)
        self.assertEqual(self.post(REVIEW, "/else").status_code, 404)
        self.assertEqual(self.client().get("/mutate").status_code, 405)

    def test_a_body_in_chunks_is_read(self):
        def chunks():
            yield REVIEW[:100]
            yield REVIEW[100:]

        self.assertIn("patch", self.post(chunks()).json()["response"])


class Certificates(Case):
    def test_a_client_without_a_certificate_is_not_answered(self):
        with self.assertRaises(httpx.TransportError):
            self.client(with_certificate=False).post("/mutate", content=REVIEW)

    def test_a_certificate_of_another_authority_is_not_taken(self):
        other = Served.__new__(Served)
        other.folder = self.served.folder / "other"
        other.folder.mkdir()
        other.make_certificates()
        context = self.served.tls(with_certificate=False)
        context.load_cert_chain(other.file("client.pem"), other.file("client.key"))
        with httpx.Client(verify=context) as client, self.assertRaises(httpx.TransportError):
            client.post(f"https://localhost:{self.served.port}/mutate", content=REVIEW)

    def test_the_server_is_the_one_of_its_certificate(self):
        with self.assertRaises(httpx.ConnectError):
            httpx.post(f"https://localhost:{self.served.port}/mutate", content=REVIEW)

    def test_plain_http_is_not_spoken(self):
        with self.assertRaises(httpx.TransportError):
            httpx.post(f"http://localhost:{self.served.port}/mutate", content=REVIEW)


class Probes(Case):
    def test_health_needs_no_certificate(self):
        for path in ("/healthz", "/readyz"):
            self.assertEqual(
                (self.served.probe(path).status_code, self.served.probe(path).json()["status"]), (200, "ok")
            )
        self.assertEqual(self.served.probe("/mutate").status_code, 404)

    def test_metrics_count_requests(self):
        wanted = 'memmodel_requests_total{path="/mutate",status="200"}'
        before = self.served.metric(wanted)
        self.assert_answers()
        self.assertEqual(self.served.metric(wanted), before + 1)
        self.assertEqual(self.served.metric("memmodel_held_bytes"), 0)
        self.assertGreater(self.served.metric("process_resident_memory_bytes"), MIB)


class Limits(Case):
    """Of sizes. README.md of the example has the numbers."""

    def test_a_body_has_4_mib_at_most(self):
        padded = REVIEW + b" " * (4 * MIB - len(REVIEW))
        self.assertEqual(self.post(padded).status_code, 200)
        with self.served.connect() as connection:  # refused by its length alone: not a byte of it is sent
            connection.sendall(HEAD + b"Content-Length: 4194305\r\n\r\n")
            self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 413"))

    def test_a_body_in_chunks_is_refused_while_it_is_read(self):
        with self.served.connect() as connection:
            connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
            for _ in range(5):  # and there are more to come
                connection.sendall(b"100000\r\n" + b" " * MIB + b"\r\n")
            self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 413"))
        self.assert_answers()

    def test_many_large_bodies_at_once_stay_within_a_total(self):
        before = self.served.metric("process_resident_memory_bytes")
        held = self.hold(80, HEAD + b"Content-Length: 4194304\r\n\r\n")
        for connection in held:
            with contextlib.suppress(ConnectionError, ssl.SSLError):
                connection.sendall(b" " * (4 * MIB - 1))
        # what the refused ones had sent may lie in their connections' buffers for a while
        self.assertLess(self.served.metric("process_resident_memory_bytes") - before, 200 * MIB)
        self.assertLessEqual(self.served.metric("memmodel_held_bytes"), 64 * MIB)
        for connection in held:
            connection.close()
        self.assert_answers()
        self.assert_memory_is_given_back(before)

    def assert_memory_is_given_back(self, before):
        end = time.monotonic() + 30
        while (left := self.served.metric("process_resident_memory_bytes") - before) > 48 * MIB:
            self.assertLess(time.monotonic(), end, f"{left / MIB:.0f} MiB are kept")
            time.sleep(0.1)

    def test_headers_without_end_are_cut_off(self):
        with self.served.connect() as connection, contextlib.suppress(ConnectionError, ssl.SSLError):
            connection.sendall(HEAD)
            for _ in range(64):
                connection.sendall(b"X-Long: " + b"x" * 65536 + b"\r\n")
            self.fail("4 MiB of headers are taken")
        self.assert_answers()

    def test_lengths_that_lie_do_no_harm(self):
        for length in (b"99999999999999999999", b"-1", b"x"):
            with self.served.connect() as connection:
                connection.sendall(HEAD + b"Content-Length: " + length + b"\r\n\r\n")
                self.assertRegex(connection.recv(100), rb"^HTTP/1.1 4\d\d")
        with self.served.connect() as connection:
            connection.sendall(HEAD + b"Content-Length: 100\r\n\r\nshort")
        self.assert_answers()


class Times(Case):
    """Each limit is 5 seconds, or 10 for a whole request: 30 are for a machine that has other things to do."""

    def test_headers_that_do_not_come_to_an_end_are_not_waited_for(self):
        (silent, dripping) = self.hold(2, b"")
        stop = threading.Event()
        self.addCleanup(stop.set)

        def drip():
            with contextlib.suppress(OSError):
                for byte in HEAD + b"X: " + b"x" * 1000:
                    dripping.sendall(bytes([byte]))
                    if stop.wait(0.1):
                        return

        threading.Thread(target=drip, daemon=True).start()
        self.assertLess(self.seconds_until_closed(silent), 30)
        self.assertLess(self.seconds_until_closed(dripping), 30)

    def test_a_body_that_does_not_come_is_not_waited_for(self):
        (connection,) = self.hold(1, HEAD + b"Content-Length: 100\r\n\r\nx")
        begin = time.monotonic()
        self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 408"))
        self.assertLess(time.monotonic() - begin, 30)

    def test_a_connection_that_has_been_used_is_not_held_by_half_a_request(self):
        (connection,) = self.hold(1, HEAD + b"Content-Length: 2\r\n\r\n{}")
        self.assertTrue(connection.recv(4096).startswith(b"HTTP/1.1 400"))
        connection.sendall(b"POST ")
        self.assertLess(self.seconds_until_closed(connection), 30)

    def test_400_slow_clients_keep_nobody_waiting(self):
        held = self.hold(400, HEAD + b"Content-Length: 100\r\n")
        took = []
        client = self.client()
        for _ in range(50):
            begin = time.monotonic()
            self.assertEqual(client.post("/mutate", content=REVIEW).status_code, 200)
            took.append(time.monotonic() - begin)
        self.assertLess(sorted(took)[25], 1)  # how fast it is, ./run bench kubernetes says
        self.assertEqual(len(held), 400)


class Workers(unittest.TestCase):
    def setUp(self):
        self.served = Served(EXAMPLE, MODEL)
        self.addCleanup(self.served.close)

    def workers(self):
        children = Path(f"/proc/{self.served.process.pid}/task/{self.served.process.pid}/children").read_text().split()
        command = {child: Path(f"/proc/{child}/cmdline").read_bytes() for child in children}
        return [int(child) for child in children if b"spawn_main" in command[child]]

    def wait_for(self, condition):
        end = time.monotonic() + 30
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def test_one_that_is_killed_is_replaced_and_no_count_falls(self):
        wanted = 'memmodel_requests_total{path="/mutate",status="200"}'
        for _ in range(20):  # connections, of which either worker has some
            with self.served.client() as client:
                client.post("/mutate", content=REVIEW)
        before = self.workers()
        self.assertEqual((len(before), self.served.metric("memmodel_workers")), (2, 2))
        os.kill(before[0], signal.SIGKILL)
        self.wait_for(lambda: self.served.metric("memmodel_workers") == 2 and before[0] not in self.workers())
        self.assertEqual(self.served.metric(wanted), 20)
        self.assertEqual(self.served.metric("memmodel_connections"), 0)

    def test_none_outlives_the_process_that_started_them(self):
        workers = self.workers()
        self.served.process.kill()
        self.served.process.wait()
        self.wait_for(lambda: not any(is_running(worker) for worker in workers))

    def test_what_is_wrong_with_a_certificate_ends_the_server(self):
        Path(self.served.file("server.key")).write_text("no key")
        self.served.process.terminate()
        self.served.process.wait(30)
        again = subprocess.run(self.served.process.args, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(again.returncode, 1)
        self.assertIn("ssl.SSLError", again.stderr)


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def takes_connections(served: Served) -> bool:
    try:
        socket.create_connection(("localhost", served.port), 5).close()
    except ConnectionError:
        return False
    return True


def answer_after_sigterm(served):
    """Of a review whose rest is sent when the server takes no connections any more; the seconds that its body took."""
    with served.connect() as connection:
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(REVIEW) + REVIEW[:100])
        began = time.monotonic()
        while not served.metric("memmodel_held_bytes"):
            time.sleep(0.01)
        served.process.terminate()
        end = time.monotonic() + 20
        while served.probe("/readyz").status_code != 503 and time.monotonic() < end:
            time.sleep(0.01)
        while takes_connections(served) and time.monotonic() < end:
            time.sleep(0.01)
        connection.sendall(REVIEW[100:])
        return connection.recv(65536), time.monotonic() - began


class Stopping(unittest.TestCase):
    def test_what_is_asked_when_sigterm_comes_is_answered(self):
        for _ in range(5):
            served = Served(EXAMPLE, MODEL)
            self.addCleanup(served.close)
            reply, seconds = answer_after_sigterm(served)
            if seconds < BODY_SECONDS:  # else the machine was too busy to ask in time
                break
        self.assertTrue(reply.startswith(b"HTTP/1.1 200"), reply)
        self.assertIn(b"connection: close", reply.lower())
        served.process.wait(30)
        self.assertEqual(served.said(), "")

    def test_a_client_that_drips_does_not_keep_it(self):
        served = Served(EXAMPLE, MODEL)
        self.addCleanup(served.close)
        with served.connect() as connection:
            connection.sendall(HEAD + b"Content-Length: 100\r\n\r\nx")
            served.process.terminate()
            served.process.wait(60)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
