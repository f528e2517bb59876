/* The page around the report: a file and settings go to the worker, and what comes back is rendered. */
(() => {
  const MAX_FILE = 128 << 20, QUIET = 250; /* milliseconds of rest before what saves memory is computed, too */
  const SIZES = { batch: [8, 256], length: [512, 8192], default: [64, 512] }; /* at first, and where sliders end */
  const form = at("settings");
  const quick = helper(), slow = helper(); /* what a movement waits for, and what takes its time, must not wait for each other */
  let module, file = null, prices = null;
  let busy = false, wanted = null, quiet = 0, number = 0, completed = 0, gpus = 0, patient = 0;

  /* ---- the library, twice: each in a worker ---- */

  function helper() {
    let worker, last = 0, waiting = new Map();

    function start() {
      const source = at("worker").textContent;
      worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
      worker.onmessage = ({ data: answer }) => {
        waiting.get(answer.id)(answer);
        waiting.delete(answer.id);
      };
      worker.onerror = (event) => giveUp(event.message);
      return call("start", { module });
    }

    function call(name, more) {
      return new Promise((resolve) => {
        waiting.set(++last, resolve);
        worker.postMessage({ id: last, call: name, ...more });
      });
    }

    /* Ends the worker, and what waits for it; a new one reads the files again before anything else. */
    function giveUp(why) {
      const all = [...waiting.values()];
      worker.terminate();
      waiting = new Map();
      start();
      if (prices) call("prices", prices);
      if (file) call("load", file);
      for (const resolve of all) resolve({ status: -1, text: why });
    }

    async function ask(name, more) {
      const answer = await call(name, more);
      if (answer.broken) giveUp(answer.text);
      return answer;
    }

    return { start, ask, giveUp };
  }

  /* An answer, while the page says that it is computing where that takes long. */
  async function patiently(promise) {
    let shown = false;
    const patience = setTimeout(() => {
      shown = true;
      patient++;
      at("busy").hidden = false;
    }, 400);
    const answer = await promise;
    clearTimeout(patience);
    if (shown) patient--;
    at("busy").hidden = !patient;
    return answer;
  }

  /* ---- what is said ---- */

  function complain(text) {
    at("problem").textContent = text;
    at("problem").hidden = !text;
    at("answer").classList.toggle("old", Boolean(text));
  }

  /* ---- the file ---- */

  function symbolRow(name, i) {
    const [value, end] = SIZES[name] || SIZES.default, id = `symbol${i}`;
    return `<div class="symbol"><label for="${id}">${escaped(name)}</label>` +
      `<input type="range" data-of="${id}" aria-label="${escaped(name)}, slider" min="1" max="${end}" value="${value}">` +
      `<input type="number" id="${id}" data-symbol="${escaped(name)}" min="1" step="1" value="${value}"></div>`;
  }

  function showSymbols(names) {
    const before = new Map([...document.querySelectorAll("[data-symbol]")].map((input) => [input.dataset.symbol, input.value]));
    at("symbols").innerHTML = names.map(symbolRow).join("");
    at("sizes").hidden = !names.length;
    for (const input of document.querySelectorAll("[data-symbol]"))
      if (before.has(input.dataset.symbol)) setNumber(input, before.get(input.dataset.symbol));
  }

  function setNumber(input, value) {
    const slider = document.querySelector(`[data-of="${input.id}"]`);
    input.value = value;
    slider.max = Math.max(slider.max, value);
    slider.value = value;
  }

  /* Bytes under a name: { name, bytes }. */
  async function take(given) {
    const answer = await quick.ask("load", given);
    if (answer.status) {
      complain(`${given.name}: ${answer.text}`);
      return;
    }
    file = given;
    slow.ask("load", given);
    at("loaded").textContent = `${given.name}, ${bytes(given.bytes.byteLength)}`;
    at("gpus").hidden = false;
    showSymbols(answer.symbols);
    change(true);
  }

  /* A table of prices: what an hour of GPUs costs. */
  async function takePrices(given) {
    const answer = await slow.ask("prices", given), date = /\d{4}-\d\d-\d\d/.exec(new TextDecoder().decode(given.bytes));
    if (answer.status) {
      complain(`${given.name}: ${answer.text}`);
      return;
    }
    prices = given;
    at("prices_said").textContent = given.name + (date ? ` of ${date[0]}` : "");
    if (completed === number) compareGpus();
  }

  async function read(chosen) {
    if (!chosen) return;
    complain("");
    if (chosen.size > MAX_FILE) {
      complain(`${chosen.name} has ${bytes(chosen.size)}; this page reads files of up to ${bytes(MAX_FILE)}. ` +
        "An ONNX file is small when its weights are saved beside it (external data); the tool memmodel reads larger ones.");
      return;
    }
    try {
      const given = { name: chosen.name, bytes: await chosen.arrayBuffer() };
      await (/\.csv$/i.test(chosen.name) ? takePrices(given) : take(given));
    } catch (error) {
      complain(`${chosen.name} cannot be read: ${error.message}`);
    }
  }

  /* ---- the answer ---- */

  function settings() {
    const lines = [...document.querySelectorAll("[data-symbol]")].map((input) => `set=${input.dataset.symbol}=${input.value}`);
    for (const [name, value] of new FormData(form)) if (value.trim()) lines.push(`${name}=${value.trim().replace(/\n/g, " ")}`);
    return lines.join("\n");
  }

  function dataOf(page) {
    const begin = '<script type="application/json" id="data">', from = page.indexOf(begin) + begin.length;
    if (from < begin.length) return JSON.parse(page); /* the data alone */
    return JSON.parse(page.slice(from, page.indexOf("</scr" + "ipt>", from)));
  }

  function showBudget({ verdict, share }) {
    at("budget").hidden = !share;
    at("budget").dataset.verdict = verdict;
    at("budget").innerHTML = `<i style="width:${Math.min(100, 100 * share)}%"></i>`;
    at("budget").setAttribute("aria-label", `${(100 * share).toFixed(1)} % of the budget are taken`);
  }

  function draw(answer, partial) {
    at("answer").hidden = false;
    render(dataOf(answer.text), partial);
    at("summary").hidden = !data.summary;
    at("summary").dataset.verdict = answer.verdict;
    showBudget(answer);
    complain("");
  }

  function showAnswer(answer, now) {
    if (answer.status) complain(answer.text);
    else draw(answer, !now.complete);
    at("took").textContent = `computed and drawn in ${Math.ceil(performance.now() - now.begin)} ms`;
    document.body.dataset.shown = now.number;
    document.body.dataset.complete = now.complete ? "yes" : "no";
    performance.measure(now.complete ? "complete" : "slide", { start: now.begin });
  }

  function want(complete) {
    return { settings: settings(), complete, number, begin: performance.now() };
  }

  /* One estimate at a time, and after it the last that was asked for meanwhile. */
  async function follow() {
    if (busy || !wanted) return;
    const now = wanted;
    busy = true;
    wanted = null;
    const answer = await patiently(quick.ask("estimate", now));
    busy = false;
    if (completed !== now.number) showAnswer(answer, now);
    follow();
  }

  /* With what saves memory. */
  async function complete() {
    const now = want(true), answer = await patiently(slow.ask("estimate", now));
    if (now.number !== number) return;
    completed = number;
    showAnswer(answer, now);
    if (!answer.status) compareGpus();
  }

  /* What saves memory takes many estimates: they wait until nothing moves. */
  function change(atOnce) {
    clearTimeout(quiet);
    if (!file) return;
    at("gpu_table").classList.add("old");
    document.body.dataset.wanted = ++number;
    document.body.dataset.complete = "no";
    wanted = want(false);
    follow();
    quiet = setTimeout(complete, atOnce ? 0 : QUIET);
  }

  /* ---- all GPUs: a second's work, so only where it is looked at, and when nothing moves ---- */

  /* The table as the tool prints it in JSON; null where `goesOn` says that nobody waits for it any more. */
  async function gpuTable(goesOn) {
    const now = settings();
    for (let index = 0; index < gpus; index++) {
      const answer = await slow.ask("gpuRow", { settings: now, index });
      if (!goesOn(index)) return null;
      if (answer.status) return answer;
    }
    return slow.ask("gpuTable");
  }

  function gpuCells(row, name, hasMax) {
    const kind = row.verdict === "fits" ? "good" : row.verdict === "uncertain" ? "doubt" : "bad";
    return `<td class="text"><button type="button" data-gpu="${escaped(row.gpu)}" aria-label="choose ${escaped(name)}">` +
      `${escaped(row.gpu)}</button></td><td>${bytes(row.memory)}</td><td>${bytes(row.peak)}</td>` +
      `<td class="text"><i class="dot ${kind}"></i>${escaped(row.verdict)}</td>` +
      (hasMax ? `<td>${count(row.max)}</td>` : "") + `<td>${row.gpu_count || DASH}</td>` +
      `<td>${row.price && row.gpu_count ? (row.price * row.gpu_count).toFixed(2) : ""}</td>`;
  }

  function showTable(rows) {
    const names = new Map([...at("gpu").options].map((option) => [option.value, option.text])), hasMax = rows[0].max >= 0;
    const heads = ["memory", "takes", "verdict", ...(hasMax ? ["largest batch"] : []), "GPUs", "an hour"];
    const cells = heads.map((name) => `<th scope="col"${name === "verdict" ? ' class="text"' : ""}>${name}</th>`).join("");
    at("gpu_table").innerHTML = `<thead><tr><th scope="col" class="text">GPU</th>${cells}</tr></thead>` +
      rows.map((row) => `<tr>${gpuCells(row, names.get(row.gpu), hasMax)}</tr>`).join("");
    at("gpu_table").classList.remove("old");
    at("gpus_box").hidden = at("gpus_note").hidden = false;
  }

  async function compareGpus() {
    const now = number, goesOn = () => now === number && at("gpus").open;
    if (!goesOn()) return;
    const answer = await gpuTable((index) => {
      if (goesOn()) at("gpus_said").textContent = `${index + 1} of ${gpus}`;
      return goesOn();
    });
    if (!answer) return;
    if (answer.status) {
      at("gpus_said").textContent = answer.text;
      return;
    }
    const rows = JSON.parse(answer.text), fit = rows.filter((row) => row.verdict === "fits").length;
    showTable(rows);
    at("gpus_said").textContent = `it fits on one of ${fit} of ${rows.length} kinds`;
    document.body.dataset.compared = now;
  }

  /* ---- saving ---- */

  async function save(what, name) {
    const answer = await slow.ask(what, { settings: settings() });
    const link = document.createElement("a");
    if (answer.status) {
      complain(answer.text);
      return;
    }
    link.href = URL.createObjectURL(new Blob([answer.text]));
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  /* ---- listening ---- */

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", ({ target }) => {
    if (target.type === "file") return;
    if (target.dataset.of) at(target.dataset.of).value = target.value;
    if (target.dataset.symbol) setNumber(target, target.value);
    change(false);
  });
  at("file").addEventListener("change", () => read(at("file").files[0]));
  at("example").addEventListener("click", () => {
    const example = JSON.parse(at("module").textContent).example;
    take({ name: "config.json", bytes: new TextEncoder().encode(JSON.stringify(example)).buffer });
  });
  at("prices").addEventListener("change", () => read(at("prices").files[0]));
  for (const id of ["file", "prices"]) /* the same file again, which may have changed, is a choice as well */
    at(id).addEventListener("click", () => { at(id).value = ""; });
  at("stop").addEventListener("click", () => {
    quick.giveUp("stopped");
    slow.giveUp("stopped");
  });
  at("save_page").addEventListener("click", () => save("page", "report.html"));
  at("save_json").addEventListener("click", () => save("json", "report.json"));
  at("gpus").addEventListener("toggle", () => {
    if (file && completed === number) compareGpus();
  });
  at("gpu_table").addEventListener("click", ({ target }) => {
    if (!target.dataset.gpu) return;
    at("gpu").value = target.dataset.gpu;
    change(false);
  });
  addEventListener("dragover", (event) => {
    event.preventDefault();
    at("drop").classList.add("over");
  });
  addEventListener("dragleave", () => at("drop").classList.remove("over"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    at("drop").classList.remove("over");
    read(event.dataTransfer.files[0]);
  });

  /* ---- the beginning ---- */

  async function unpack(text) {
    const packed = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
  }

  function showGpus(text) {
    for (const line of text.split("\n").filter(Boolean)) {
      const [word, memory, name] = line.split("\t");
      at("gpu").add(new Option(`${name}, ${bytes(Number(memory))}`, word));
    }
  }

  async function begin() {
    const content = JSON.parse(at("module").textContent);
    module = await unpack(content.module);
    const answer = await quick.start();
    if (answer.status) {
      complain(`the library cannot start here: ${answer.text}`);
      return;
    }
    gpus = answer.gpus;
    showGpus(answer.text);
    slow.start();
    await takePrices({ name: "gpu_prices.csv", bytes: new TextEncoder().encode(content.prices).buffer });
    at("loaded").textContent = "";
    document.body.dataset.ready = "yes";
  }

  /* For the console, and for tests: report and table as the tool prints them. */
  window.memmodelReport = () => slow.ask("json", { settings: settings() });
  window.memmodelGpus = () => gpuTable(() => true);

  begin().catch((error) => complain(`this browser cannot run the page: ${error.message}`));
})();
