/* The last step's blocks where a plan puts them: [from event, to event, offset, bytes, category, layer, what]. */
const PICTURE = { width: 1000, height: 420, left: 80, bottom: 24 }; /* of its view box */

function placeRectangle([from, to, offset, size, category, layer, what], { begin, end, peak }) {
  const x = (event) => PICTURE.left + (event - begin) / (end - begin) * PICTURE.width;
  const y = (place) => PICTURE.height * (1 - place / peak);
  const name = `${layer} ${what}: ${bytes(size)} at ${bytes(offset)}`;
  return `<rect x="${x(from)}" y="${y(offset + size)}" width="${x(to) - x(from)}" height="${y(offset) - y(offset + size)}"` +
    ` fill="${COLOURS[category]}"><title>${escaped(name)}</title></rect>`;
}

function placementLabels(peak) {
  const texts = [0, 0.5, 1].map((part) => {
    const y = PICTURE.height * (1 - part);
    return `<text x="${PICTURE.left - 6}" y="${Math.max(10, y)}" text-anchor="end">${bytes(peak * part)}</text>`;
  });
  const y = PICTURE.height + 16, right = PICTURE.left + PICTURE.width;
  return texts.join("") + `<text x="${PICTURE.left}" y="${y}">begin of the last step</text>` +
    `<text x="${right}" y="${y}" text-anchor="end">its end</text>`;
}

function placement() {
  const plan = data.placement;
  if (!plan) {
    at("placement").remove();
    return;
  }
  const least = plan.peak === plan.lower_bound ? "no arena can be smaller" : `no arena can be below ${bytes(plan.lower_bound)}`;
  const reserved = data.peak[1] > data.peak[0] ? ` The framework's allocator reserves ${bytes(data.peak[1])}.` : "";
  at("placed").textContent = `The blocks of the last step fit into one arena of ${bytes(plan.peak)}; ${least}.${reserved}`;
  const box = `0 0 ${PICTURE.left + PICTURE.width} ${PICTURE.height + PICTURE.bottom}`;
  at("arena").innerHTML = `<svg viewBox="${box}" role="img" aria-label="Blocks over the events, offsets up">` +
    plan.places.map((place) => placeRectangle(place, plan)).join("") + placementLabels(plan.peak) + "</svg>";
}

placement();
