// Small charts of the last minutes: one line for each informer or queue, in the colour of its row.

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [300, 100];
const COLOURS = 8;
const WINDOW_SECONDS_MIN = 30;

export function colour(at) {
  return `var(--c${at % COLOURS})`;
}

export class Chart {
  #figure; #now; #scale; #svg; #lines = new Map();

  constructor(figure, place) {
    this.#figure = figure;
    const frame = place.appendChild(document.createElement("figure"));
    frame.className = "chart";
    frame.dataset.figure = figure.title;
    const caption = frame.appendChild(document.createElement("figcaption"));
    caption.append(figure.title);
    this.#scale = caption.appendChild(document.createElement("span"));
    this.#scale.className = "scale";
    this.#now = frame.appendChild(document.createElement("div"));
    this.#now.className = "now";
    this.#svg = frame.appendChild(document.createElementNS(SVG, "svg"));
    this.#svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    this.#svg.setAttribute("preserveAspectRatio", "none");
    this.#svg.setAttribute("aria-hidden", "true");
    for (const y of [0.5, HEIGHT / 2, HEIGHT - 0.5]) {
      const line = this.#svg.appendChild(document.createElementNS(SVG, "line"));
      line.setAttribute("class", "grid");
      for (const [name, value] of Object.entries({ x1: 0, x2: WIDTH, y1: y, y2: y })) line.setAttribute(name, value);
    }
  }

  draw(samples) {
    const { of, read, write, joined } = this.#figure;
    const newest = samples.at(-1);
    if (!newest) return;
    const series = new Map(newest.diagnostics[of].map((one) => [one.name, []]));
    let [highest, first] = [0, newest.seconds];
    for (const sample of samples) {
      for (const one of sample.diagnostics[of]) {
        const value = read(one);
        highest = Math.max(highest, value);
        series.get(one.name)?.push([sample.seconds, value]);
      }
      first = Math.min(first, sample.seconds);
    }
    const span = Math.max(WINDOW_SECONDS_MIN, newest.seconds - first);
    const x = (seconds) => WIDTH * (1 - (newest.seconds - seconds) / span);
    const y = (value) => HEIGHT - 2 - (HEIGHT - 6) * (highest > 0 ? value / highest : 0);
    this.#keepLinesOf(series);
    [...series].forEach(([name, points], at) => {
      const line = this.#lines.get(name);
      line.style.stroke = colour(at);
      line.setAttribute("points", points.map(([t, v]) => `${x(t).toFixed(1)},${y(v).toFixed(1)}`).join(" "));
    });
    const values = newest.diagnostics[of].map(read);
    const now = joined ? joined(0, ...values) : values.reduce((sum, value) => sum + value, 0);
    this.#now.textContent = values.length > 0 ? write(now) : "–";
    this.#scale.textContent = `max ${write(highest)}`;
  }

  #keepLinesOf(series) {
    for (const [name, line] of this.#lines) {
      if (!series.has(name)) {
        line.remove();
        this.#lines.delete(name);
      }
    }
    for (const name of series.keys()) {
      if (!this.#lines.has(name)) {
        this.#lines.set(name, this.#svg.appendChild(document.createElementNS(SVG, "polyline")));
      }
    }
  }
}
