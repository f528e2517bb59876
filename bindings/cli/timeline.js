const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
const LEFT = 74, RIGHT = 8, BOTTOM = 40, TOP = 10; /* pixels around the plot */

const points = data.points;
const seconds = points.length ? Math.max(points[points.length - 1][0], 1e-4) : 1;
const peak = points.reduce((best, point) => (point[1] > best[1] ? point : best), [0, 1]);
const canvas = at("plot"), tip = at("tip");
let cursor = -1; /* index of a point; -1: none */

function card(name, text) {
  return `<div class="card"><span class="soft">${name}</span><b>${text}</b></div>`;
}

function summary() {
  at("command").textContent = data.command.join(" ");
  at("cards").innerHTML = card("highest reading", points.length ? bytes(peak[1]) : "none") +
    card("reached after", `${peak[0].toFixed(2)} s`) + card("readings", points.length.toLocaleString("en"));
}

/* ---- drawing ---- */

const right = () => canvas.clientWidth - RIGHT;
const floor = () => canvas.clientHeight - BOTTOM;
const x = (time) => LEFT + (right() - LEFT) * time / seconds;
const y = (size) => floor() - (floor() - TOP) * size / (1.05 * peak[1]);

function drawAxes(pen, colour) {
  pen.font = "11px system-ui, sans-serif";
  pen.textAlign = "right";
  for (const [size, text] of byteTicks(1.05 * peak[1], 6)) {
    pen.fillStyle = colour("--line");
    pen.fillRect(LEFT, y(size), right() - LEFT, 1);
    pen.fillStyle = colour("--soft");
    pen.fillText(text, LEFT - 6, y(size) + 4);
  }
  for (const [time, text] of ticks(0, seconds, Math.max(1, Math.floor((right() - LEFT) / 70)))) {
    pen.fillStyle = colour("--line");
    pen.fillRect(x(time), floor(), 1, 4);
    pen.fillStyle = colour("--soft");
    const half = pen.measureText(text).width / 2;
    pen.fillText(text, Math.min(right(), Math.max(LEFT, x(time) - half) + 2 * half), floor() + 16);
  }
  pen.textAlign = "center";
  pen.fillText("seconds", (LEFT + right()) / 2, floor() + 32);
}

function drawCurve(pen, colour) {
  pen.beginPath();
  points.forEach(([time, size], i) => {
    if (i) pen.lineTo(x(time), y(points[i - 1][1]));
    pen.lineTo(x(time), y(size));
  });
  pen.strokeStyle = colour("--mark");
  pen.lineWidth = 1.5;
  pen.stroke();
  pen.fillStyle = colour("--mark");
  if (cursor >= 0) pen.fillRect(x(points[cursor][0]), TOP, 1, floor() - TOP);
}

function draw() {
  const scale = window.devicePixelRatio || 1, pen = canvas.getContext("2d");
  const style = getComputedStyle(document.documentElement), colour = (name) => style.getPropertyValue(name);
  canvas.width = canvas.clientWidth * scale;
  canvas.height = canvas.clientHeight * scale;
  pen.scale(scale, scale);
  drawAxes(pen, colour);
  drawCurve(pen, colour);
}

/* ---- what the cursor points at ---- */

function show(index) {
  cursor = index;
  draw();
  tip.style.display = cursor < 0 ? "none" : "block";
  if (cursor < 0) return;
  const [time, size] = points[cursor];
  tip.textContent = `${time.toFixed(3)} s: ${bytes(size)}`;
  tip.style.left = `${Math.max(4, Math.min(x(time) + 12, canvas.clientWidth - tip.offsetWidth - 4))}px`;
}

const KEYS = {
  ArrowLeft: () => Math.max(0, cursor - 1),
  ArrowRight: () => Math.min(points.length - 1, cursor + 1),
  Home: () => 0,
  End: () => points.length - 1,
};

canvas.addEventListener("keydown", (event) => {
  if (!(event.key in KEYS) || !points.length) return;
  show(KEYS[event.key]());
  event.preventDefault();
});
canvas.addEventListener("pointermove", (event) => {
  const time = seconds * (event.offsetX - LEFT) / (right() - LEFT);
  show(points.findLastIndex((point) => point[0] <= time));
});
canvas.addEventListener("pointerleave", () => show(-1));
addEventListener("resize", () => show(cursor));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
summary();
draw();
