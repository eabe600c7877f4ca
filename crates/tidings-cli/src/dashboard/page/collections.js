// Derived collections: one drawing for each graph, with an arrow from each collection to those that read it, and a table.

import { count, duration } from "./figures.js";

const BOX = { width: 168, height: 40, gapX: 56, gapY: 14 };
const HEADS = ["Collection", "Operator", "Values", "Evaluations", "Unchanged", "Failing keys", "Time", "Reads"];

/** Replaces the drawings and tables of all graphs. */
export function drawGraphs(place, graphs) {
  place.replaceChildren(...graphs.flatMap((graph) => [title(graph), scroll(drawing(graph)), scroll(table(graph))]));
}

function title(graph) {
  const heading = text("h3", graph.name);
  heading.append(text("span", ` ${count(graph.rounds)} rounds, ${duration(graph.workSeconds)}`, "quiet"));
  if (graph.failure) heading.append(text("span", graph.failure, "error"));
  return heading;
}

/**
 * The column of each collection: one more than the highest column that it reads. A collection reads only collections
 * before it, so one pass is enough.
 */
export function columns(collections) {
  const found = new Map();
  for (const { name, reads } of collections) {
    found.set(name, Math.max(-1, ...reads.map((read) => found.get(read.collection) ?? -1)) + 1);
  }
  return found;
}

function drawing({ name, collections }) {
  const column = columns(collections);
  const used = [];
  const boxes = new Map(
    collections.map((collection) => {
      const at = column.get(collection.name);
      const row = used[at] ?? 0;
      used[at] = row + 1;
      return [collection.name, { x: at * (BOX.width + BOX.gapX), y: row * (BOX.height + BOX.gapY), collection }];
    }),
  );
  const width = used.length * (BOX.width + BOX.gapX) - BOX.gapX;
  const height = Math.max(1, ...used) * (BOX.height + BOX.gapY) - BOX.gapY;
  const drawn = svg("svg", { class: "graph", viewBox: `0 0 ${width} ${height}`, width, height, role: "img" });
  drawn.setAttribute("aria-label", `Collections of ${name}`);
  for (const { x, y, collection } of boxes.values()) {
    for (const read of collection.reads) {
      const from = boxes.get(read.collection);
      if (from) drawn.append(edge(from, { x, y }, read));
    }
  }
  drawn.append(...[...boxes.values()].map(box));
  return drawn;
}

function edge(from, to, read) {
  const [x1, y1] = [from.x + BOX.width, from.y + BOX.height / 2];
  const [x2, y2] = [to.x, to.y + BOX.height / 2];
  const middle = (x1 + x2) / 2;
  const path = svg("path", { class: "edge", d: `M${x1} ${y1} C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}` });
  path.append(withText(svg("title", {}), `${read.collection}: ${parts(read)}`));
  return path;
}

function box({ x, y, collection }) {
  const group = svg("g", { class: `collection ${state(collection)}`, transform: `translate(${x} ${y})` });
  group.append(
    svg("rect", { width: BOX.width, height: BOX.height, rx: 6 }),
    withText(svg("text", { x: 10, y: 17, class: "name" }), shortened(collection.name)),
    withText(svg("text", { x: 10, y: 33 }), `${collection.operator}, ${count(collection.values)} values`),
  );
  return group;
}

function state(collection) {
  if (!collection.isSynced) return "warn";
  return collection.failingKeys + collection.duplicateKeys > 0 ? "bad" : "good";
}

function table({ collections }) {
  const made = document.createElement("table");
  made.className = "collections";
  const head = made.createTHead().insertRow();
  head.append(...HEADS.map((name) => text("th", name)));
  const body = made.createTBody();
  for (const collection of collections) {
    const named = text("td", collection.name);
    if (collection.unsyncedBecause) named.append(text("span", collection.unsyncedBecause, "error"));
    const figures = [collection.values, collection.evaluations, collection.unchanged, collection.failingKeys];
    const reads = collection.reads.map((read) => `${read.collection}: ${parts(read)}`).join("; ");
    body.insertRow().append(
      named, text("td", collection.operator), ...figures.map((figure) => text("td", count(figure), "number")),
      text("td", duration(collection.workSeconds), "number"), text("td", reads),
    );
  }
  return made;
}

/** What was read of another collection. */
function parts(read) {
  if (read.parts.length === 0) return "whether it exists";
  return read.parts.map((part) => (part === "*" ? "everything" : part)).join(", ");
}

function shortened(name) {
  return name.length > 22 ? `${name.slice(0, 21)}…` : name;
}

function scroll(content) {
  const around = text("div", "", "scroll");
  around.append(content);
  return around;
}

function svg(kind, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  return made;
}

function withText(made, content) {
  made.textContent = content;
  return made;
}

function text(kind, content, className = "") {
  return Object.assign(withText(document.createElement(kind), content), { className });
}
