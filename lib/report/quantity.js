const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/* Index of the largest unit that they make up. */
function unitOf(number) {
  let unit = 0;
  for (; Math.abs(number) >= 1024 && unit < UNITS.length - 1; unit++) number /= 1024;
  return unit;
}

function bytes(number) {
  const unit = unitOf(number);
  return (number / Math.pow(1024, unit)).toFixed(unit ? 2 : 0) + " " + UNITS[unit];
}

/* 1, 2 or 5 times a power of ten, so that at most `most` of them make up `length`. */
function roundStep(length, most) {
  const power = Math.pow(10, Math.floor(Math.log10(length / most)));
  return [1, 2, 5, 10].map((times) => times * power).find((step) => length / step <= most);
}

/* The round numbers from one to another: [number, text]. */
function ticks(from, to, most) {
  const step = roundStep(to - from, most), digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const first = Math.ceil(from / step - 1e-9) || 0, last = Math.floor(to / step + 1e-9), made = [];
  for (let i = first; i <= last; i++) {
    const text = (i * step).toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
    made.push([i * step, text]);
  }
  return made;
}

/* Round sizes from 0 on, all in one unit: [bytes, text]. */
function byteTicks(top, most) {
  const unit = unitOf(top), size = Math.pow(1024, unit);
  return ticks(0, top / size, most).map(([value, text]) => [value * size, value ? `${text} ${UNITS[unit]}` : "0"]);
}
