"""How many admission reviews a second the server of the example answers, and how fast, beside clients that drip.

usage: load.py EXAMPLE_FOLDER MODEL.json REVIEW.json [--rate 2000] [--slow 400] [--seconds 10] [--connections 16]

Prints JSON lines: `most` asks the next review when the last one is answered; `rate` asks so many a second, each counted
from the moment at which it was due. Server and clients are processes of one machine and speak mutual TLS on its
loopback.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import sys
from pathlib import Path
from time import perf_counter, process_time

import uvloop

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "kubernetes"))
from served import Served  # noqa: E402  (in the folder of the tests)

WARM_UP_SECONDS = 1
DRIP_SECONDS = 0.5


def request_of(review):
    return b"POST /mutate?timeout=5s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(review) + review


async def connect(served, tls):
    return await asyncio.open_connection("127.0.0.1", served.port, ssl=tls, server_hostname="localhost")


class Client(asyncio.Protocol):
    """A connection that is asked one thing after the other, at half of what asyncio's streams would cost."""

    def __init__(self):
        self.head = self.answered = None
        self.missing = 0

    def connection_made(self, transport):
        self.transport = transport

    def ask(self, request):
        """A future of the moment when the whole answer is there."""
        self.head, self.answered = b"", asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return self.answered

    def data_received(self, data):
        if self.head is None:
            self.missing -= len(data)
        else:
            self.head += data
            head, end, body = self.head.lower().partition(b"\r\n\r\n")
            if not end:
                return
            assert head.startswith(b"http/1.1 200"), head
            self.missing = int(head.partition(b"content-length:")[2].split(b"\r\n")[0]) - len(body)
            self.head = None
        if self.missing == 0:
            self.answered.set_result(perf_counter())

    def connection_lost(self, problem):
        if self.answered is not None and not self.answered.done():
            self.answered.set_exception(problem or ConnectionError("the server hung up"))


async def ask(served, tls, request, due_times, took):
    """Takes the next moment, asks then, and says how long after that moment the answer was there."""
    loop = asyncio.get_running_loop()
    _, client = await loop.create_connection(Client, "127.0.0.1", served.port, ssl=tls, server_hostname="localhost")
    for due in due_times:
        if (early := due - perf_counter()) > 0:
            await asyncio.sleep(early)
        took.append(await client.ask(request) - due)
    client.transport.close()


def on_and_on(seconds):
    end = perf_counter() + seconds
    while perf_counter() < end:
        yield perf_counter()


def at_a_rate(seconds, rate):
    begin = perf_counter()
    for i in range(rate * seconds):
        yield begin + i / rate


async def ask_all(served, request, count, due_times):
    """Seconds that each answer took, on so many connections."""
    tls, took = served.tls(), []
    await asyncio.gather(*(ask(served, tls, request, due_times, took) for _ in range(count)))
    return took


# ---- clients that drip ----


async def drip(served, tls, text):
    """Sends a byte now and then until the server has enough of it, and begins again."""
    while True:
        try:
            reader, writer = await connect(served, tls)
            for byte in text:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(DRIP_SECONDS)
                if reader.at_eof():
                    break
            writer.close()
        except OSError:
            await asyncio.sleep(DRIP_SECONDS)


async def drip_all(served, count, ready):
    tls = served.tls()
    head = b"POST /mutate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"
    tasks = []
    for i in range(count):  # half of them in the headers, half in the body
        text = head + b"X-Slow: " + b"x" * 1000 if i % 2 else head + b"\r\n" + b" " * 1000
        tasks.append(asyncio.create_task(drip(served, tls, text)))
        await asyncio.sleep(0.01)
    ready.set()
    await asyncio.gather(*tasks)


def drip_in_process(served, count, ready):
    uvloop.run(drip_all(served, count, ready))


# ---- figures ----


def figures(name, took, seconds, cpu, client, slow):
    took = sorted(took)
    milliseconds = {f"p{share}_ms": round(1000 * took[len(took) * share // 100], 3) for share in (50, 90, 99)}
    return {
        "bench": f"kubernetes {name}",
        "load_average": os.getloadavg()[0],
        "slow_connections": slow,
        "requests_per_second": round(len(took) / seconds),
        **milliseconds,
        "server_cpu_us_per_request": round(1e6 * cpu / len(took)),
        "client_cpu_share": round(client / seconds, 2),
    }


def measure(name, served, request, options, due_times, slow):
    before, begin, client = served.metric("process_cpu_seconds_total"), perf_counter(), process_time()
    took = uvloop.run(ask_all(served, request, options.connections, due_times))
    seconds, client = perf_counter() - begin, process_time() - client
    cpu = served.metric("process_cpu_seconds_total") - before
    print(json.dumps(figures(name, took, seconds, cpu, client, slow)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("example", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("review", type=Path)
    parser.add_argument("--rate", type=int, default=2000)
    parser.add_argument("--slow", type=int, default=400)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--connections", type=int, default=16)
    options = parser.parse_args()
    request = request_of(options.review.read_bytes())
    served = Served(options.example, options.model)
    ready = multiprocessing.Event()
    slow = multiprocessing.Process(target=drip_in_process, args=(served, options.slow, ready), daemon=True)
    seconds = options.seconds
    try:
        uvloop.run(ask_all(served, request, options.connections, on_and_on(WARM_UP_SECONDS)))
        measure("most", served, request, options, on_and_on(seconds), 0)
        slow.start()
        ready.wait()
        measure("most", served, request, options, on_and_on(seconds), options.slow)
        measure("rate", served, request, options, at_a_rate(seconds, options.rate), options.slow)
    finally:
        if slow.pid:
            slow.kill()
        print(served.said(), end="", file=sys.stderr)
        served.close()


if __name__ == "__main__":
    main()
