"""Chromium without a window, driven over a pipe by its DevTools protocol: pages as their readers see them."""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
SECONDS = 60

# What sticks out of the page; what scrolls inside a box that is made for it is no fault.
OVERFLOW = """(() => {
  const wide = document.documentElement.clientWidth, found = [];
  const scrolls = (e) => e && e !== document.body &&
    (getComputedStyle(e).overflowX !== "visible" || scrolls(e.parentElement));
  const inBox = (e) => e.closest("svg") || scrolls(e.parentElement);
  const all = document.documentElement.scrollWidth;
  if (all > wide) found.push(`the page: ${all} of ${wide}`);
  for (const e of document.body.querySelectorAll("*")) {
    const box = e.getBoundingClientRect();
    if (box.width && box.right > wide + 1 && !inBox(e)) found.push(`${e.tagName}#${e.id}.${e.className} ${box.right}`);
  }
  return found;
})()"""

# Controls that a screen reader has no name for, by the rules of HTML.
NAMELESS = """(() => [...document.querySelectorAll("input, select, button, canvas, [role=img], [role=region]")]
  .filter((e) => e.offsetParent && !e.getAttribute("aria-label") && !e.getAttribute("aria-labelledby") &&
    !(e.labels && e.labels.length) && !(e.tagName === "BUTTON" && e.textContent.trim()) && !e.title)
  .map((e) => e.outerHTML.slice(0, 120)))()"""

# Texts whose contrast with their background is below the 4.5 of WCAG 2, by its own formula.
FAINT = """(() => {
  const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const level = (c) => { const s = c / 255; return s <= 0.03928 ? s / 12.92 : Math.pow((s + 0.055) / 1.055, 2.4); };
  const light = ([r, g, b]) => 0.2126 * level(r) + 0.7152 * level(g) + 0.0722 * level(b);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = new Set();
  for (const e of document.querySelectorAll("main *")) {
    const own = [...e.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !e.offsetParent || e.disabled || e.closest("svg")) continue;
    const a = light(parse(getComputedStyle(e).color)), b = light(behind(e));
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.add(`${e.tagName}.${e.className} ${e.textContent.trim().slice(0, 30)}: ${contrast}`);
  }
  return [...found];
})()"""


def chromium():
    """Its path; None where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page of one Chromium; `errors` has what its console and its scripts complained about."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="memmodel-chromium-")
        to_read, self.to = os.pipe()
        self.reader, to_write = os.pipe()
        os.set_inheritable(to_read, True)
        os.set_inheritable(to_write, True)
        command = [chromium(), "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu",
                   "--disable-background-networking", "--disable-dev-shm-usage", "--hide-scrollbars",
                   f"--user-data-dir={self.folder.name}"]
        if os.geteuid() == 0:
            command.append("--no-sandbox")  # Chromium's own rule: root has no sandbox
        place = ["sh", "-c", f'exec 3<&{to_read} 4>&{to_write}; exec "$@"', "sh"]
        self.process = subprocess.Popen([*place, *command, "about:blank"], close_fds=False,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.waiting, self.number, self.session, self.errors = b"", 0, None, []
        self.attach()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.call("Browser.close", of_page=False)
        self.process.wait(SECONDS)
        os.close(self.to)
        os.close(self.reader)
        self.folder.cleanup()

    # ---- the protocol: JSON with a zero byte behind each message ----

    def read(self):
        while b"\0" not in self.waiting:
            part = os.read(self.reader, 1 << 16)
            if not part:
                raise RuntimeError("Chromium has ended")
            self.waiting += part
        text, self.waiting = self.waiting.split(b"\0", 1)
        return json.loads(text)

    def note(self, message):
        method, given = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = given["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(item.get("value", item)) for item in given["args"]))
        elif method == "Log.entryAdded" and given["entry"]["level"] in ("error", "warning"):
            self.errors.append(given["entry"]["text"])

    def call(self, method, of_page=True, **given):
        self.number += 1
        message = {"id": self.number, "method": method, "params": given}
        if of_page:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") != self.number:
                self.note(answer)
                continue
            if "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            return answer["result"]

    def attach(self):
        targets = self.call("Target.getTargets", of_page=False)["targetInfos"]
        target = next(item["targetId"] for item in targets if item["type"] == "page")
        self.session = self.call("Target.attachToTarget", of_page=False, targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "DOM"):
            self.call(f"{domain}.enable")

    # ---- what tests do ----

    def look(self, width, height=900, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def open(self, path):
        self.errors.clear()
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        self.wait("document.readyState === 'complete'")

    def evaluate(self, script):
        """Value of an expression, of a promise what it is kept with."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def wait(self, condition, seconds=SECONDS):
        end = time.monotonic() + seconds
        while not self.evaluate(condition):
            if time.monotonic() > end:
                raise TimeoutError(condition)
            time.sleep(0.02)

    def choose_file(self, selector, path):
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", files=[str(pathlib.Path(path).resolve())], nodeId=node)

    def press(self, key, code=0, text=None):
        given = {"key": key, "windowsVirtualKeyCode": code, **({"text": text} if text else {})}
        self.call("Input.dispatchKeyEvent", type="keyDown", **given)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def screenshot(self, path, whole=True):
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def faults(self):
        """What is wrong with the page's layout as it is shown: texts, none if nothing is."""
        kinds = {"sticks out": OVERFLOW, "has no name": NAMELESS, "faint": FAINT}
        return [f"{kind}: {fault}" for kind, script in kinds.items() for fault in self.evaluate(script)]
