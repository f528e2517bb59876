"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
const LEFT = 72, BOTTOM = 24, TOP = 10, LINES = 5;

const points = data.points;
const seconds = points.length ? Math.max(points[points.length - 1][0], 1e-4) : 1;
const peak = points.reduce((best, point) => (point[1] > best[1] ? point : best), [0, 1]);

function card(name, text) {
  return `<div class="card"><span class="soft">${name}</span><b>${text}</b></div>`;
}

function summary() {
  at("command").textContent = data.command.join(" ");
  at("cards").innerHTML = card("highest reading", points.length ? bytes(peak[1]) : "none") +
    card("reached after", `${peak[0].toFixed(2)} s`) + card("readings", points.length.toLocaleString("en"));
}

function draw() {
  const canvas = at("plot"), box = canvas.getBoundingClientRect(), scale = window.devicePixelRatio || 1;
  const style = getComputedStyle(document.documentElement), pen = canvas.getContext("2d");
  canvas.width = box.width * scale;
  canvas.height = box.height * scale;
  pen.scale(scale, scale);
  const right = box.width - 8, floor = box.height - BOTTOM;
  const x = (time) => LEFT + (right - LEFT) * time / seconds, y = (size) => floor - (floor - TOP) * size / peak[1];
  pen.font = "11px system-ui, sans-serif";
  for (let i = 0; i <= LINES; i++) {
    pen.fillStyle = style.getPropertyValue("--line");
    pen.fillRect(LEFT, y(peak[1] * i / LINES), right - LEFT, 1);
    pen.fillStyle = style.getPropertyValue("--soft");
    pen.textAlign = "right";
    pen.fillText(bytes(peak[1] * i / LINES), LEFT - 6, y(peak[1] * i / LINES) + 4);
    pen.textAlign = i === LINES ? "right" : i ? "center" : "left";
    pen.fillText(`${(seconds * i / LINES).toFixed(2)} s`, x(seconds * i / LINES), box.height - 6);
  }
  pen.beginPath();
  points.forEach(([time, size], i) => {
    if (i) pen.lineTo(x(time), y(points[i - 1][1]));
    pen.lineTo(x(time), y(size));
  });
  pen.strokeStyle = style.getPropertyValue("--mark");
  pen.lineWidth = 1.5;
  pen.stroke();
}

at("plot").addEventListener("mousemove", (event) => {
  const box = at("plot").getBoundingClientRect();
  const time = seconds * (event.clientX - box.left - LEFT) / (box.width - 8 - LEFT);
  const found = points.findLast((point) => point[0] <= time), tip = at("tip");
  tip.style.display = found ? "block" : "none";
  if (!found) return;
  tip.textContent = `${found[0].toFixed(3)} s: ${bytes(found[1])}`;
  tip.style.left = `${Math.min(event.clientX - box.left + 12, box.width - 160)}px`;
});
at("plot").addEventListener("mouseleave", () => { at("tip").style.display = "none"; });
window.addEventListener("resize", draw);
summary();
draw();
