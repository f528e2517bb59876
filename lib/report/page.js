"use strict";
let data = null; /* of the report that is shown */
const COLOURS = [
  "#4c72b0", "#dd8452", "#937860", "#8c8c8c", "#55a868", "#a1d6b2", "#c44e52", "#8172b3", "#ccb974", "#64b5cd",
];
const DASH = "\u2013";
const at = (id) => document.getElementById(id);

/* ---- texts; what comes from the data is escaped ---- */

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text) => String(text).replace(/[&<>"]/g, (character) => ENTITIES[character]);
const count = (number) => number.toLocaleString("en");

/* Categories side by side, `whole` bytes wide. */
function stack(held, whole) {
  return held.map((size, i) => {
    const style = `width:${100 * size / whole}%;background:${COLOURS[i]}`;
    return size > 0 ? `<i title="${escaped(data.categories[i])}: ${bytes(size)}" style="${style}"></i>` : "";
  }).join("");
}

function key(category) {
  return `<i class="key" style="background:${COLOURS[category]}"></i>${escaped(data.categories[category])}`;
}

function heldText(held) {
  return held.map((size, i) => size > 0 && `${data.categories[i]} ${bytes(size)}`).filter(Boolean).join(", ");
}

function keys(held) {
  const whole = held.reduce((sum, size) => sum + size, 0);
  return held.map((size, i) => {
    const share = `<span class="soft">${(100 * size / whole).toFixed(1)} %</span>`;
    return size > 0 ? `<span>${key(i)} ${bytes(size)} ${share}</span>` : "";
  }).join("");
}

/* ---- the top ---- */

function describeLoop(job) {
  const said = [
    [job.precision !== "float32", job.precision],
    [job.gradient_accumulation > 1, `${job.gradient_accumulation} batches a step`],
    [job.keep_gradients, "gradients kept"],
    [job.checkpoint, `checkpoint ${job.checkpoint}`],
    [job.mesh, `rank ${job.rank} of ${job.mesh}, ${job.data}`],
  ];
  return said.filter(([isSet]) => isSet).map(([, text]) => text);
}

function describeMachine(job) {
  if (job.framework === "textbook") return [];
  if (job.device === "cuda") return [job.framework_version, "cuda", job.gpu, ...[job.allocator_settings, job.cublas_workspace].filter(Boolean)];
  const level = job.framework === "onnxruntime" ? [`optimization ${job.graph_optimization}`] : [];
  return [...level, job.device, job.isa, `${job.intra_op_threads} threads`];
}

function describeJob(job) {
  const sizes = job.symbols.map(([name, value]) => `${name} = ${count(value)}`);
  const training = job.optimizer ? [`training with ${job.optimizer}`] : [];
  return [...sizes, ...(job.inference ? ["inference"] : training), ...describeLoop(job), job.framework, ...describeMachine(job)].join(" \u00b7 ");
}

function card(name, size) {
  const text = size < 0 ? `<b>${DASH}</b><span class="soft">not modelled</span>`
    : `<b>${bytes(size)}</b><span class="soft">${count(size)} bytes</span>`;
  return `<div class="card"><span class="soft">${name}</span>${text}</div>`;
}

/* What to know of the peak besides its bytes. */
function describePeak() {
  const steps = data.steps.slice(0, 6).map(bytes), said = [];
  if (data.peak_location) said.push(`Peak of the live tensors in <b>${escaped(data.peak_location)}</b>.`);
  if (data.steps.length > steps.length) steps.push("\u2026");
  if (steps.length > 1) said.push(`<span class="soft">Peaks of the steps: ${steps.join(", ")}.</span>`);
  if (data.engine !== "rules") said.push(`By ${escaped(data.engine)}.`);
  if (data.warning) said.push(`${escaped(data.warning)}.`);
  if (!data.validated) said.push("Not validated: not compared with measured bytes of such a device.");
  return said.join(" ");
}

function summary() {
  const names = ["live tensors", "reserved by the allocator", "process"];
  at("summary").textContent = data.summary;
  at("job").textContent = describeJob(data.job);
  at("cards").innerHTML = data.peak.map((size, i) => card(names[i], size)).join("");
  at("peak_location").innerHTML = describePeak();
  at("held").innerHTML = stack(data.held, data.peak[0]);
  at("held").setAttribute("aria-label", "Held at the peak: " + heldText(data.held));
  at("keys").innerHTML = keys(data.held);
}

/* ---- tables ---- */

function head(...names) {
  const cells = names.map((name, i) => name ? `<th scope="col"${i ? "" : ' class="text"'}>${name}</th>` : "<td></td>");
  return `<thead><tr>${cells.join("")}</tr></thead>`;
}

/* The rows of a table; without any, its section is not there. */
function fill(table, section, rows, first) {
  at(section).hidden = !rows.length;
  at(table).innerHTML = first + rows.map((row) => `<tr>${row}</tr>`).join("");
}

function changes() {
  const metrics = ["live", "reserved", "process"];
  const most = Math.max(1, ...data.changes.map((change) => change[4]));
  const rows = data.changes.map(([name, ...sizes]) => {
    const saved = sizes.pop(), style = `width:${100 * Math.max(0, saved) / most}%;background:var(--mark)`;
    const cells = sizes.map((size) => `<td>${size < 0 ? DASH : bytes(size)}</td>`).join("");
    return `<td class="text">${escaped(name)}</td>${cells}<td>${bytes(saved)}</td>` +
      `<td class="bar"><div class="stack"><i style="${style}"></i></div></td>`;
  });
  fill("changes", "what_if", rows, head("change", ...metrics, `saving, ${data.job.metric}`, ""));
}

function lines() {
  const most = Math.max(1, ...data.lines.map((line) => line[1]));
  const rows = data.lines.map(([line, held, left]) => {
    const bar = `<div class="stack"><i style="width:${100 * held / most}%;background:var(--mark)"></i></div>`;
    return `<td class="text">${escaped(line)}</td><td>${bytes(held)}</td><td>${left ? bytes(left) : DASH}</td>` +
      `<td class="bar">${bar}</td>`;
  });
  fill("lines", "program", rows, head("line", "at the peak", "growth with each step", ""));
}

function formulas() {
  const rows = data.formulas.map(([name, text]) =>
    `<td class="text">${escaped(name)}</td><td class="formula"><code>${escaped(text)}</code></td>`);
  at("assumptions").textContent = "Bytes by the textbook" + (data.assumptions ? `, where ${data.assumptions}` : "");
  fill("formulas", "closed", rows, "");
}

function unmodelled() {
  const rows = data.unmodelled.map(([op, size]) => `<td class="text">${escaped(op)}</td><td>${bytes(size)}</td>`);
  fill("unmodelled", "unknown", rows, head("operator, estimated by its outputs alone", "bytes"));
}

/* ---- layers: [name, operator, shape, formula, parameters, activations, multiply-adds, peak, by category] ---- */

const COLUMNS = [
  ["layer", 0], ["operator", 1], ["output", 2],
  ["parameters", 4], ["activations", 5], ["multiply-adds", 6], ["at the peak", 7],
];
let order = { column: -1, down: true }; /* -1: as in the forward pass */

function layerRow([name, op, shape, formula, parameters, activations, multiplyAdds, held, stacked], most, kind) {
  const numbers = [parameters, activations, multiplyAdds].map((value) => `<td>${value ? count(value) : DASH}</td>`);
  return `<tr class="${kind}"><td class="text name" title="${escaped(name)}">${escaped(name)}</td>` +
    `<td class="text">${escaped(op)}</td><td class="text" title="${escaped(formula)}">${escaped(shape)}</td>` +
    `${numbers.join("")}<td>${held ? bytes(held) : DASH}</td>` +
    `<td class="bar"><div class="stack">${stack(stacked, most)}</div></td></tr>`;
}

function layerHead() {
  const cells = COLUMNS.map(([name, column], i) => {
    const sorted = order.column !== column ? "none" : order.down ? "descending" : "ascending";
    const arrow = { none: "", descending: " \u25be", ascending: " \u25b4" }[sorted];
    return `<th scope="col" class="${i < 3 ? "text" : ""}" aria-sort="${sorted}">` +
      `<button data-column="${column}">${name}${arrow}</button></th>`;
  });
  return `<thead><tr>${cells.join("")}<td></td></tr></thead>`;
}

const FEW = 200; /* rows that are there at first */
let all = false;

function rowsWanted() {
  const words = at("filter").value.toLowerCase();
  const rows = data.layers.filter((layer) => (layer[0] + " " + layer[1]).toLowerCase().includes(words));
  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0) * (order.down ? -1 : 1);
  if (order.column >= 0) rows.sort((a, b) => compare(a[order.column], b[order.column]));
  return rows;
}

const rowText = (most) => (layer) => layerRow(layer, most, "");
const mostOfLayers = () => Math.max(1, ...data.layers.map((layer) => layer[7]));

function layers() {
  const rows = rowsWanted(), total = at("filter").value ? "" : layerRow(data.total, Infinity, "total");
  const shown = rows.slice(0, all ? rows.length : FEW);
  at("layers").innerHTML = layerHead() + shown.map(rowText(mostOfLayers())).join("") + total;
  at("all_layers").hidden = shown.length === rows.length;
  at("counted").textContent = `${count(rows.length)} of ${count(data.layers.length)} layers` +
    (data.layers_left_out ? `; ${count(data.layers_left_out)} more hold less at the peak and are not shown` : "");
}

/* While a slider moves: the rows that are seen, and no more. */
function layersSeen() {
  const rows = rowsWanted(), text = rowText(mostOfLayers()), box = at("layers_box"), shown = at("layers").tBodies[0];
  const there = all ? rows.length : Math.min(rows.length, FEW), inBody = there + (at("filter").value ? 0 : 1);
  if (!shown || shown.rows.length !== inBody) return layers();
  const height = box.scrollHeight / inBody, first = Math.floor(box.scrollTop / height);
  const last = Math.min(there, first + Math.ceil(box.clientHeight / height) + 1);
  const seen = document.createElement("tbody");
  seen.innerHTML = rows.slice(first, last).map(text).join("");
  for (let i = first; i < last; i++) shown.rows[i].replaceWith(seen.rows[0]);
}

at("filter").addEventListener("input", layers);
at("all_layers").addEventListener("click", () => {
  all = true;
  layers();
  at("layers_box").focus();
});
at("layers").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const column = Number(button.dataset.column);
  order = { column, down: order.column === column ? !order.down : column > 2 };
  layers();
  at("layers").querySelector(`button[data-column="${column}"]`).focus();
});

/* Shows a report, in place of any that was there. */
function render(made, quick) {
  data = made;
  summary();
  changes();
  if (quick) layersSeen();
  else layers();
  lines();
  formulas();
  unmodelled();
  timeline();
  placement();
}
