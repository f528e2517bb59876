/* The last step's blocks where a plan puts them: [from event, to event, offset, bytes, category, layer, what]. */
const PICTURE = { height: 420, left: 74, right: 8, top: 10, bottom: 24 }; /* pixels */

const drawnWidth = () => Math.max(240, at("arena").clientWidth - 20);

function placeRectangle([from, to, offset, size, category, layer, what], { begin, end, peak }) {
  const across = drawnWidth() - PICTURE.left - PICTURE.right;
  const x = (event) => PICTURE.left + (event - begin) / (end - begin) * across;
  const y = (place) => PICTURE.top + PICTURE.height * (1 - place / peak);
  const name = `${layer} ${what}: ${bytes(size)} at ${bytes(offset)}`;
  return `<rect x="${x(from)}" y="${y(offset + size)}" width="${x(to) - x(from)}" height="${y(offset) - y(offset + size)}"` +
    ` fill="${COLOURS[category]}"><title>${escaped(name)}</title></rect>`;
}

function placementLabels(peak) {
  const texts = byteTicks(peak, 6).map(([value, text]) => {
    const y = PICTURE.top + PICTURE.height * (1 - value / peak);
    return `<text x="${PICTURE.left - 8}" y="${y + 4}" text-anchor="end">${text}</text>`;
  });
  const y = PICTURE.top + PICTURE.height + 16, right = drawnWidth() - PICTURE.right;
  return texts.join("") + `<text x="${PICTURE.left}" y="${y}">begin of the last step</text>` +
    `<text x="${right}" y="${y}" text-anchor="end">its end</text>`;
}

function drawPlacement() {
  const plan = data && data.placement;
  if (!plan) return;
  const box = `0 0 ${drawnWidth()} ${PICTURE.top + PICTURE.height + PICTURE.bottom}`;
  const label = `${plan.places.length} blocks of the last step over its events, placed in ${bytes(plan.peak)}`;
  at("arena").innerHTML = `<svg viewBox="${box}" role="img" aria-label="${label}">` +
    plan.places.map((place) => placeRectangle(place, plan)).join("") + placementLabels(plan.peak) + "</svg>";
}

function placement() {
  const plan = data.placement;
  at("placement").hidden = !plan;
  if (!plan) return;
  const least = plan.peak === plan.lower_bound ? "no arena can be smaller" : `no arena can be below ${bytes(plan.lower_bound)}`;
  const reserved = data.peak[1] > data.peak[0] ? ` The framework's allocator reserves ${bytes(data.peak[1])}.` : "";
  at("placed").textContent = `The blocks of the last step fit into one arena of ${bytes(plan.peak)}; ${least}.${reserved}`;
  drawPlacement();
}

addEventListener("resize", drawPlacement);
