// The table of cached objects with its filters, and the details of one object.

import { bytes, count } from "./figures.js";

const OBJECTS_MAX = 200;
const TYPING_MS = 150;
const RECONCILES_MAX = 20;

const element = (id) => document.getElementById(id);

export class Objects {
  #contents = []; #rows = new Map(); #open = null; #typing; #query = 0;

  constructor() {
    element("resource").addEventListener("change", () => this.#chooseResource());
    element("index").addEventListener("change", () => this.#chooseIndex());
    for (const id of ["search", "value"]) element(id).addEventListener("input", () => this.#afterTyping());
    element("close").addEventListener("click", () => this.#close());
    document.addEventListener("keydown", ({ key }) => {
      if (key === "Escape" && this.#open) this.#close();
    });
  }

  /** The resources to choose from. The selected resource stays selected if it still exists. */
  offer(contents) {
    const before = element("resource").value;
    this.#contents = contents;
    choices(element("resource"), contents.map(({ resource }) => [resource, resource]));
    if (contents.some(({ resource }) => resource === before)) {
      element("resource").value = before;
      this.#refresh();
    } else {
      this.#chooseResource();
    }
    this.#show();
  }

  /** Reloads the objects that have changed according to a sample. */
  update({ notifications, omitted }) {
    const resource = element("resource").value;
    if (omitted > 0 || notifications.some((notification) => notification.resource === resource)) this.#refresh();
    const isOpen = (notification) => notification.resource === this.#open?.resource && notification.key === this.#open?.key;
    if (this.#open && (omitted > 0 || notifications.some(isOpen))) this.#show();
  }

  #chooseResource() {
    const selected = this.#contents.find(({ resource }) => resource === element("resource").value);
    choices(element("index"), [["", "none"], ...(selected?.indexes ?? []).map((name) => [name, name])]);
    this.#chooseIndex();
  }

  #chooseIndex() {
    element("value").value = "";
    element("value").disabled = element("index").value === "";
    this.#refresh();
  }

  #afterTyping() {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#refresh(), TYPING_MS);
  }

  async #refresh() {
    // Ignores the response to an outdated request.
    const number = (this.#query += 1);
    const query = { resource: element("resource").value, q: element("search").value, limit: OBJECTS_MAX };
    if (element("index").value) Object.assign(query, { index: element("index").value, value: element("value").value });
    const answer = await ask("/api/objects", query);
    if (number !== this.#query) return;
    const matched = element("matched");
    matched.classList.toggle("bad", Boolean(answer.error));
    if (answer.error) {
      matched.textContent = answer.error;
      return;
    }
    const shown = answer.objects.length < answer.matched ? `, the first ${answer.objects.length} shown` : "";
    matched.textContent = `${count(answer.matched)} of ${count(answer.total)}${shown}`;
    choices(element("values"), answer.values.map((value) => [value, value]));
    this.#fill(query.resource, answer.objects);
  }

  /** Keeps the rows of objects that are still listed, so that a focused row keeps the keyboard focus. */
  #fill(resource, objects) {
    const body = element("objects").tBodies[0];
    const wanted = new Set(objects.map(({ key }) => `${resource} ${key}`));
    for (const [place, row] of this.#rows) {
      if (!wanted.has(place)) {
        row.remove();
        this.#rows.delete(place);
      }
    }
    objects.forEach((object, at) => {
      const place = `${resource} ${object.key}`;
      let row = this.#rows.get(place);
      if (!row) {
        row = this.#row(resource, object);
        this.#rows.set(place, row);
        body.insertBefore(row, body.rows[at] ?? null);
      }
      const [, , version, wire, packed, labels] = row.cells;
      version.textContent = object.version;
      wire.textContent = bytes(object.wireBytes);
      packed.textContent = bytes(object.packedBytes);
      labels.textContent = object.labels.join(", ");
    });
    this.#mark();
  }

  #row(resource, object) {
    const row = document.createElement("tr");
    const [namespace, name] = [row.insertCell(), row.insertCell()];
    for (const _ of ["version", "wire", "packed"]) row.insertCell().className = "number";
    row.insertCell();
    namespace.textContent = object.namespace ?? "";
    const button = name.appendChild(document.createElement("button"));
    button.type = "button";
    button.textContent = object.name;
    button.addEventListener("click", () => {
      this.#open = { resource, key: object.key };
      this.#show().then(() => element("detail-title").focus());
    });
    return row;
  }

  async #show() {
    const open = this.#open;
    if (!open) return;
    const answer = await ask("/api/object", open);
    if (this.#open !== open) return;
    element("detail").hidden = false;
    element("detail-title").textContent = `${open.resource} ${open.key}`;
    const fields = answer.change?.fields ?? [];
    element("change").hidden = fields.length === 0;
    if (answer.error) {
      element("detail-note").textContent = answer.error;
    } else {
      element("yaml").textContent = answer.yaml;
      element("detail-note").textContent = note(answer);
    }
    element("change").tBodies[0].replaceChildren(...fields.map(fieldRow));
    const lines = (answer.controllers ?? []).flatMap(controllerLines);
    element("reconciles").hidden = lines.length === 0;
    element("reconciles").replaceChildren(...lines);
    this.#mark();
  }

  #close() {
    const row = this.#rows.get(`${this.#open?.resource} ${this.#open?.key}`);
    this.#open = null;
    element("detail").hidden = true;
    this.#mark();
    row?.querySelector("button").focus();
  }

  #mark() {
    const open = this.#open && `${this.#open.resource} ${this.#open.key}`;
    for (const [place, row] of this.#rows) row.ariaSelected = String(place === open);
  }
}

function note({ version, change }) {
  if (!change) return `version ${version}; unchanged since the dashboard started`;
  const what = change.fields.length > 0 ? "its last change" : "its last change, without visible fields";
  return `version ${version}; ${what}, from ${change.oldVersion}:`;
}

/** The loops that a controller reported for an object, and its last reconciles, the newest first. */
function controllerLines({ name, reconciles = [], loops }) {
  const reported = loops.map((loop) => {
    const objects = loop.objects.map(({ resource, key, fields }) => `${resource} ${key} ${fields.join(" ")}`);
    return line("loop", `${name} wakes itself: ${loop.wakes} reconciles, by changing ${objects.join(", ")}`);
  });
  const last = reconciles.slice(-RECONCILES_MAX).reverse().map(({ id, result, causes, writes }) => {
    const wrote = writes.map((write) => {
      const requested = write.requested.map((other) => `reconcile ${other}`).join(", ");
      return `${write.resource} ${write.key}${requested && `, which requested ${requested}`}`;
    });
    const effect = wrote.length > 0 ? ` Wrote ${wrote.join("; ")}.` : "";
    return line("", `${name} ${id}, ${result}: ${causes.map(causeText).join("; ") || "no cause"}.${effect}`);
  });
  return [...reported, ...last];
}

function causeText({ reason, resource, key, fields, writtenBy }) {
  const parts = [reason, resource, key, fields?.join(" "), writtenBy && `by reconcile ${writtenBy}`];
  return parts.filter(Boolean).join(" ");
}

function line(kind, text) {
  const item = document.createElement("li");
  item.className = kind;
  item.textContent = text;
  return item;
}

function fieldRow({ path, old, new: after }) {
  const row = document.createElement("tr");
  row.insertCell().textContent = path;
  for (const [kind, value] of [["del", old], ["ins", after]]) {
    const place = row.insertCell();
    if (value !== null) place.appendChild(document.createElement(kind)).textContent = value;
  }
  return row;
}

/** The response, or an object with the error. */
async function ask(path, parameters) {
  try {
    const answer = await fetch(`${path}?${new URLSearchParams(parameters)}`);
    const isJson = answer.headers.get("content-type")?.includes("json");
    return isJson ? await answer.json() : { error: `the dashboard responds ${answer.status}` };
  } catch {
    return { error: "the dashboard does not respond" };
  }
}

/** Sets the options of a list, only if they differ: replacing them would close an open list. */
function choices(list, pairs) {
  const wanted = JSON.stringify(pairs);
  if (list.dataset.choices === wanted) return;
  list.dataset.choices = wanted;
  list.replaceChildren(...pairs.map(([value, label]) => new Option(label, value)));
}
