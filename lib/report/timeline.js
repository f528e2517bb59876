/* The timeline; points are [event, step, phase, layer, bytes, layer of the block, what, live by category ...]. */
const EVENT = 0, STEP = 1, PHASE = 2, LAYER = 3, BYTES = 4, OWNER = 5, WHAT = 6, LIVE = 7;
const LEFT = 74, BOTTOM = 68, TOP = 8, BAND = 14; /* pixels around the plot */
const FONT = "11px system-ui, sans-serif";
const canvas = at("plot"), tip = at("tip");
let points = [], live = [], highest = 0, events = 0;
let view = [0, 0]; /* from an event to another */
let cursor = -1;             /* index of a point; -1: none */
let drag = null;             /* { from, to } in pixels */

const width = () => canvas.clientWidth - LEFT;
const xOf = (event) => LEFT + (event - view[0]) / (view[1] - view[0]) * width();
const eventOf = (x) => view[0] + (x - LEFT) / width() * (view[1] - view[0]);
const startOf = (i) => points[i][EVENT];
const endOf = (i) => (i + 1 < points.length ? startOf(i + 1) : events);
const middle = () => (cursor >= 0 ? startOf(cursor) : (view[0] + view[1]) / 2);
const pointer = (event) => Math.max(LEFT, Math.min(canvas.clientWidth, event.offsetX));

/* The last point at or before an event. */
function momentAt(event) {
  let low = 0, high = points.length - 1;
  while (low < high) {
    const half = (low + high + 1) >> 1;
    if (startOf(half) <= event) low = half;
    else high = half - 1;
  }
  return low;
}

/* ---- drawing ---- */

function drawAxis(pen, top, height, style) {
  pen.font = FONT;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (const [value, text] of byteTicks(top, 6)) {
    const y = TOP + height - value / top * height;
    pen.fillStyle = style.soft;
    pen.fillText(text, LEFT - 8, y);
    pen.fillStyle = style.line;
    pen.fillRect(LEFT, y, width(), 1);
  }
}

/* Numbers of events, below the bands of phases and steps. */
function drawEvents(pen, y, style) {
  const most = Math.max(1, Math.floor(width() / 90));
  pen.font = FONT;
  pen.textBaseline = "middle";
  for (const [event, text] of ticks(view[0], view[1], most)) {
    if (event % 1) continue;
    const x = xOf(event), half = pen.measureText(text).width / 2;
    pen.fillStyle = style.line;
    pen.fillRect(x, y - 8, 1, 4);
    pen.fillStyle = style.soft;
    pen.textAlign = "center";
    pen.fillText(text, Math.max(LEFT + half, Math.min(x, LEFT + width() - half)), y + 2);
  }
  pen.fillText("allocations and releases", LEFT + width() / 2, y + 17);
}

/* Of the points in view the highest of each pixel: an index for each that is drawn. */
function pointsDrawn(first, last) {
  const drawn = [];
  for (let i = first, pixel = NaN; i <= last; i++) {
    const at_pixel = Math.floor(xOf(startOf(i)));
    if (at_pixel !== pixel) drawn.push(i);
    else if (live[i] > live[drawn[drawn.length - 1]]) drawn[drawn.length - 1] = i;
    pixel = at_pixel;
  }
  return drawn;
}

/* Along an edge, with a corner where it changes: `y` of each point from its beginning to that of the next. */
function drawEdge(pen, from, edge, back) {
  const last = edge.length - 1, ends = (i) => (back ? [from[i + 1], from[i]] : [from[i], from[i + 1]]);
  for (let k = 0; k <= last; k++) {
    const i = back ? last - k : k, before = back ? i + 1 : i - 1, after = back ? i - 1 : i + 1;
    if (edge[before] !== edge[i]) pen.lineTo(ends(i)[0], edge[i]);
    if (edge[after] !== edge[i]) pen.lineTo(ends(i)[1], edge[i]);
  }
}

function drawStack(pen, first, last, top, height) {
  const drawn = pointsDrawn(first, last), y = (size) => TOP + height - size / top * height;
  const from = [...drawn.map((i) => xOf(startOf(i))), xOf(endOf(last))];
  let sizes = new Float64Array(drawn.length), lower = Array.from(sizes, y);
  for (let category = 0; category < data.categories.length; category++) {
    if (drawn.every((i) => !points[i][LIVE + category])) continue;
    sizes = sizes.map((size, k) => size + points[drawn[k]][LIVE + category]);
    const upper = Array.from(sizes, y);
    pen.fillStyle = COLOURS[category];
    pen.beginPath();
    drawEdge(pen, from, upper, false);
    drawEdge(pen, from, lower, true);
    pen.fill();
    lower = upper;
  }
}

/* Runs of points that `same` holds together, each a box with its name. */
function drawBands(pen, first, last, y, same, name, style) {
  pen.font = FONT;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (let i = first, end; i <= last; i = end + 1) {
    for (end = i; end < last && same(points[end + 1], points[i]);) end++;
    const from = Math.max(LEFT, xOf(startOf(i))), to = Math.min(LEFT + width(), xOf(endOf(end)));
    pen.fillStyle = style.line;
    pen.fillRect(from, y, Math.max(1, to - from - 1), BAND);
    pen.fillStyle = style.text;
    const text = name(points[i]);
    if (pen.measureText(text).width < to - from - 6) pen.fillText(text, (from + to) / 2, y + BAND / 2 + 0.5);
  }
}

function drawMarks(pen, height, style) {
  pen.fillStyle = style.mark;
  if (cursor >= 0) {
    const x = xOf(startOf(cursor));
    pen.fillRect(x, TOP, Math.max(1.5, Math.min(3, xOf(endOf(cursor)) - x)), height);
  }
  pen.globalAlpha = 0.25;
  if (drag) pen.fillRect(Math.min(drag.from, drag.to), TOP, Math.abs(drag.to - drag.from), height);
  pen.globalAlpha = 1;
}

function draw() {
  const ratio = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
  const height = h - TOP - BOTTOM, first = momentAt(view[0]), last = momentAt(view[1] - 1);
  const top = 1.05 * live.slice(first, last + 1).reduce((most, size) => Math.max(most, size), 1);
  const computed = getComputedStyle(document.documentElement), style = {};
  for (const name of ["text", "soft", "line", "mark"]) style[name] = computed.getPropertyValue("--" + name);
  const pen = canvas.getContext("2d");
  canvas.width = w * ratio;
  canvas.height = h * ratio;
  pen.scale(ratio, ratio);
  drawAxis(pen, top, height, style);
  pen.beginPath();
  pen.rect(LEFT, 0, width(), h);
  pen.clip();
  drawStack(pen, first, last, top, height);
  const sameStep = (a, b) => a[STEP] === b[STEP];
  const stepName = (point) => (point[STEP] ? `step ${point[STEP]}` : "before the first step");
  drawBands(pen, first, last, h - BOTTOM + 4, (a, b) => sameStep(a, b) && a[PHASE] === b[PHASE],
    (point) => data.phases[point[PHASE]], style);
  drawBands(pen, first, last, h - BOTTOM + 6 + BAND, sameStep, stepName, style);
  drawEvents(pen, h - BOTTOM + 16 + 2 * BAND, style);
  drawMarks(pen, height, style);
}

/* ---- what the cursor points at ---- */

function describe(point, sum) {
  const layer = point[LAYER] < 0 ? "" : `<b>${escaped(data.names[point[LAYER]])}</b>, `;
  const other = point[OWNER] >= 0 && point[OWNER] !== point[LAYER];
  const owner = other ? ` of ${escaped(data.names[point[OWNER]])}` : "";
  const size = (point[BYTES] < 0 ? "\u2212" : "+") + bytes(Math.abs(point[BYTES]));
  const rows = point.slice(LIVE).map((held, i) =>
    held > 0 ? `<tr><td class="text">${key(i)}</td><td>${bytes(held)}</td></tr>` : "");
  return `${layer}${data.phases[point[PHASE]]} of step ${point[STEP]}<br>` +
    `<span class="soft">event ${count(point[EVENT])}: ${escaped(point[WHAT])}${owner} ${size}</span>` +
    `<table><tr><td class="text"><b>live</b></td><td><b>${bytes(sum)}</b></td></tr>${rows.join("")}</table>`;
}

function describeCursor() {
  tip.style.display = cursor < 0 ? "none" : "block";
  if (cursor < 0) return;
  tip.innerHTML = describe(points[cursor], live[cursor]);
  const point = points[cursor], x = xOf(startOf(cursor)), right = x + 24;
  at("at_cursor").textContent = `Event ${count(point[EVENT])}, ${data.phases[point[PHASE]]} of step ${point[STEP]}: ` +
    `${bytes(live[cursor])} live`;
  const left = right + tip.offsetWidth > canvas.clientWidth ? x - tip.offsetWidth - 6 : right;
  tip.style.left = Math.max(4, left) + "px";
}

/* ---- looking around ---- */

function show(index) {
  cursor = index;
  draw();
  describeCursor();
}

function look(from, to) {
  const length = Math.min(events, Math.max(4, to - from));
  const start = Math.max(0, Math.min(events - length, from));
  view = [start, start + length];
  show(cursor);
}

const zoom = (factor, around) => look(around - (around - view[0]) * factor, around + (view[1] - around) * factor);

function move(part) {
  const length = view[1] - view[0];
  look(view[0] + part * length, view[1] + part * length);
}

function step(count) {
  show(Math.max(0, Math.min(points.length - 1, (cursor < 0 ? highest : cursor) + count)));
  const place = (startOf(cursor) - view[0]) / (view[1] - view[0]);
  if (place < 0 || place >= 1) move(place - 0.5);
}

const KEYS = {
  ArrowLeft: () => step(-1),
  ArrowRight: () => step(1),
  "+": () => zoom(0.5, middle()),
  "-": () => zoom(2, middle()),
};

const BUTTONS = {
  peak: () => {
    const half = Math.max(20, events / 40);
    cursor = highest;
    look(startOf(highest) - half, startOf(highest) + half);
  },
  whole: () => look(0, events),
  in: KEYS["+"],
  out: KEYS["-"],
};

function endDrag() {
  const zone = [drag.from, drag.to].sort((a, b) => a - b);
  drag = null;
  if (zone[1] - zone[0] > 5) look(eventOf(zone[0]), eventOf(zone[1]));
  else draw();
}

function listenToPointer() {
  canvas.addEventListener("pointerdown", (event) => {
    drag = { from: pointer(event), to: pointer(event) };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (drag) drag.to = pointer(event);
    show(momentAt(eventOf(pointer(event))));
  });
  canvas.addEventListener("pointerup", () => drag && endDrag());
  canvas.addEventListener("pointercancel", () => { drag = null; });
  canvas.addEventListener("pointerleave", () => drag || show(-1));
  canvas.addEventListener("dblclick", BUTTONS.whole);
  canvas.addEventListener("wheel", (event) => {
    const turn = Math.sign(event.deltaY || event.deltaX);
    event.preventDefault();
    if (event.shiftKey) move(turn / 10);
    else zoom(turn > 0 ? 1.25 : 0.8, eventOf(pointer(event)));
  }, { passive: false });
}

function listen() {
  listenToPointer();
  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in KEYS)) return;
    KEYS[event.key]();
    event.preventDefault();
  });
  for (const [id, press] of Object.entries(BUTTONS)) at(id).addEventListener("click", press);
  addEventListener("resize", () => points.length && show(cursor));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => points.length && draw());
}

/* Of a report with as many events as the one before the view stays. */
function timeline() {
  const before = points.length && cursor >= 0 ? startOf(cursor) : -1, same = points.length && data.events === events;
  points = data.points || [];
  events = data.events;
  live = points.map((point) => point.slice(LIVE).reduce((sum, size) => sum + size, 0));
  highest = live.reduce((best, size, i) => (size > live[best] ? i : best), 0);
  at("timeline").hidden = !points.length;
  if (!points.length) return;
  if (!same) view = [0, events];
  at("shown").textContent = points.length < events
    ? `${count(points.length)} of ${count(events)} allocations and releases, the highest of each interval.`
    : `${count(events)} allocations and releases, in their order.`;
  show(same && before >= 0 ? momentAt(before) : highest);
}

listen();
