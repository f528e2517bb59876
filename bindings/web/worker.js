/* The library, away from the page so that the page stays alive whatever a file holds. One message in, one back. */
let library = null;

function withText(text, call) {
  const size = library.lengthBytesUTF8(text) + 1, place = library._malloc(size);
  library.stringToUTF8(text, place, size);
  try {
    return call(place);
  } finally {
    library._free(place);
  }
}

const text = () => library.UTF8ToString(library._web_text());

function symbols() {
  const names = [];
  for (let name; (name = library._web_symbol(names.length));) names.push(library.UTF8ToString(name));
  return names;
}

/* What a reader of a file returns. */
function withFile({ name, bytes }, reader) {
  const place = library._malloc(Math.max(1, bytes.byteLength));
  if (!place) return { status: -1, text: "there is not enough memory in this page for the file" };
  library.HEAPU8.set(new Uint8Array(bytes), place);
  const status = withText(name, (place_of_name) => reader(place_of_name, place, bytes.byteLength));
  library._free(place);
  return { status, text: text() };
}

function load(given) {
  const answer = withFile(given, library._web_load);
  return { ...answer, symbols: answer.status ? [] : symbols() };
}

function estimate({ settings, complete }) {
  const status = withText(settings, (place) => library._web_estimate(place, complete ? 1 : 0)) ||
    (complete ? library._web_page() : library._web_quick_data());
  if (status) return { status, text: text() };
  return { status, text: text(), verdict: library.UTF8ToString(library._web_verdict()), share: library._web_share() };
}

/* What the tool writes: of all that was asked for, in one piece. */
function write({ settings }, writer) {
  const status = withText(settings, (place) => library._web_estimate(place, 1)) || writer();
  return { status, text: text() };
}

function gpuRow({ settings, index }) {
  const status = withText(settings, (place) => library._web_gpu_row(place, index));
  return { status, text: status ? text() : "" };
}

const CALLS = {
  load,
  prices: (given) => withFile(given, library._web_prices),
  estimate,
  page: (data) => write(data, library._web_page),
  json: (data) => write(data, library._web_json),
  gpuRow,
  gpuTable: () => ({ status: library._web_gpu_table(), text: text() }),
};

async function start({ module }) {
  library = await memmodel({ wasmBinary: module });
  return { status: library._web_gpus(), text: text(), gpus: library._web_gpu_count() };
}

async function answer(data) {
  try {
    const made = data.call === "start" ? await start(data) : CALLS[data.call](data);
    postMessage({ id: data.id, ...made });
  } catch (error) {
    postMessage({ id: data.id, status: -1, broken: true, text: String(error) });
  }
}

let last = Promise.resolve(); /* one after the other */
onmessage = ({ data }) => { last = last.then(() => answer(data)); };
