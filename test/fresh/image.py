"""The steps of the Kubernetes example's Dockerfile in a bare Debian, and what they install, asked as a cluster asks it.

usage: image.py CHECKOUT ROOT    (as root, in a mount namespace of its own, which fresh.sh makes)

It stands for `docker build` and `docker run` where there is no Docker: a COPY that finds nothing, a RUN that fails, or
a server that needs more than its user may do, fails here as there.
"""

import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

CHECKOUT, ROOT = (Path(word).resolve() for word in sys.argv[1:3])
EXAMPLE = CHECKOUT / "examples/kubernetes"
START_SECONDS = 60
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    **{key: value for key, value in os.environ.items() if key.lower() in ("http_proxy", "https_proxy", "no_proxy")},
    **{key: value for key, value in os.environ.items() if key.startswith("PIP_")},
}


def instructions(text):
    """Pairs of a word and what follows it, with lines joined that a backslash continues."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if line.strip():
            word, _, rest = line.strip().partition(" ")
            yield word.upper(), rest.strip()


def copy(words):
    *patterns, target = words.split()
    found = [path for pattern in patterns for path in one_or_more(pattern)]
    if not target.endswith("/"):
        raise SystemExit(f"COPY {words}: only folders, with a / at their end, are copied to here")
    folder = ROOT / target.strip("/")
    folder.mkdir(parents=True, exist_ok=True)
    for path in found:
        shutil.copy(path, folder)


def one_or_more(pattern):
    found = sorted(CHECKOUT.glob(pattern))
    if not found or not is_sent(pattern):
        raise SystemExit(f"COPY {pattern}: no such file in what docker build is sent")
    return found


def is_sent(pattern):
    """Whether Dockerfile.dockerignore, which leaves out all but some, lets through what a pattern of COPY names."""
    lines = (EXAMPLE / "Dockerfile.dockerignore").read_text().splitlines()
    kept = [line[1:] for line in lines if line.startswith("!")]
    return "*" in lines and any(pattern.startswith(part + "/") or Path(pattern).match(part) for part in kept)


def build():
    """Runs the steps; gives the user and the command of the image."""
    user, command = "0", []
    for word, rest in instructions((EXAMPLE / "Dockerfile").read_text()):
        print(f"{word} {' '.join(rest.split())}", flush=True)
        if word == "FROM":
            assert rest == "debian:12-slim", rest
        elif word == "RUN":
            step = ["chroot", ROOT, "/bin/sh", "-c", rest]
            subprocess.run(step, env=ENVIRONMENT, stdout=subprocess.DEVNULL, check=True)
        elif word == "COPY":
            copy(rest)
        elif word == "USER":
            user = rest
        elif word == "ENTRYPOINT":
            command = json.loads(rest)
        else:
            raise SystemExit(f"{word} is not known here")
    return user, command


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def ask(url, body=None):
    """A reply, as soon as the server is there."""
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            return opener.open(url, body, timeout=5).read()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def install_model():
    models = ROOT / "var/lib/memmodel"
    models.mkdir(parents=True)
    shutil.copy(CHECKOUT / "test/bench/bindings/model.json", models / "unet3d.json")
    (ROOT / "etc/memmodel").mkdir()
    policy = {"model_directory": "/var/lib/memmodel", "nodes": {"gpu-*": "30Gi"}}
    (ROOT / "etc/memmodel/policy.json").write_text(json.dumps(policy))


def start(user, command, ports):
    """As the manifest has it: nothing may be written, and the user is nobody."""
    subprocess.run(["mount", "--rbind", ROOT, ROOT], check=True)
    subprocess.run(["mount", "-o", "remount,bind,ro", ROOT], check=True)
    options = ["/etc/memmodel/policy.json", f"--port={ports[0]}", f"--probe-port={ports[1]}"]
    return subprocess.Popen(["chroot", f"--userspec={user}:{user}", ROOT, *command, *options], env=ENVIRONMENT)


def check(ports):
    ask(f"http://127.0.0.1:{ports[1]}/readyz")
    review = (CHECKOUT / "test/bindings/kubernetes/requests/review-1.31.json").read_bytes()
    response = json.loads(ask(f"http://127.0.0.1:{ports[0]}/mutate", review))["response"]
    patch = json.loads(base64.b64decode(response["patch"]))
    paths = [operation["path"] for operation in patch]
    assert "/spec/containers/0/resources/limits/memory" in paths, paths
    print("the image answers a review:", patch[-1]["value"])


def main():
    user, command = build()
    install_model()
    ports = free_port(), free_port()
    server = start(user, command, ports)
    try:
        check(ports)
    finally:
        server.terminate()
        server.wait(30)


if __name__ == "__main__":
    main()
