// The page: reads a stream of samples and draws each. Text from the cluster is only inserted as text, never as markup.

import { Chart, colour } from "./charts.js";
import { drawGraphs } from "./collections.js";
import { FIGURES, backlog, bytes, count, duration, memory, rate, withRates } from "./figures.js";
import { Objects } from "./objects.js";

const SAMPLES_MAX = 300;
const NOTIFICATIONS_MAX = 200;
/** After this time without a sample the connection counts as lost: the server may have gone away without closing it. */
const SILENCE_MS_MAX = 5_000;
const RETRY_MS = [500, 1_000, 2_000, 5_000];

const element = (id) => document.getElementById(id);
const charts = FIGURES.map((figure) => new Chart(figure, element("charts")));
const objects = new Objects();
let samples = [];
let attempts = 0;

connect();

/** Loads the state, then reads the stream of samples. It retries after every error. */
async function connect() {
  try {
    const response = await fetch("/api/state", { signal: AbortSignal.timeout(SILENCE_MS_MAX) });
    if (response.status === 401) return lost("the token is no longer valid: open the URL that the dashboard printed");
    if (!response.ok) throw new Error(`the dashboard responds ${response.status}`);
    const state = await response.json();
    samples = [];
    element("notifications").replaceChildren();
    state.samples.forEach(take);
    objects.offer(state.contents);
    draw();
    listen();
  } catch {
    lost("disconnected");
  }
}

function listen() {
  const stream = new EventSource("/events");
  let silence;
  const end = () => {
    clearTimeout(silence);
    stream.close();
    lost("disconnected");
  };
  const restartTimer = () => {
    clearTimeout(silence);
    silence = setTimeout(end, SILENCE_MS_MAX);
  };
  restartTimer();
  stream.onopen = () => {
    attempts = 0;
    setStatus("live", "live");
  };
  stream.onmessage = ({ data }) => {
    restartTimer();
    const sample = JSON.parse(data);
    take(sample);
    draw();
    objects.update(sample);
  };
  stream.onerror = end;
}

function lost(why) {
  setStatus("disconnected", why);
  const pause = RETRY_MS[Math.min(attempts, RETRY_MS.length - 1)];
  attempts += 1;
  setTimeout(connect, pause);
}

function setStatus(state, text) {
  const place = element("connection");
  document.body.classList.toggle("stale", state !== "live");
  if (place.textContent !== text) place.textContent = text;
  place.dataset.state = state;
}

function take(sample) {
  samples.push(withRates(sample, samples.at(-1)));
  if (samples.length > SAMPLES_MAX) samples.shift();
  showNotifications(sample);
}

function draw() {
  const newest = samples.at(-1);
  if (!newest) return;
  charts.forEach((chart) => chart.draw(samples));
  const { informers, queues, graphs = [] } = newest.diagnostics;
  fill(element("informers"), informers, informerRow);
  fill(element("queues"), queues, queueRow);
  element("queues-section").hidden = queues.length === 0;
  drawGraphs(element("graphs"), graphs);
  element("graphs-section").hidden = graphs.length === 0;
  const unhealthy = informers.filter((informer) => !informer.isHealthy).length;
  element("summary").textContent =
    `${informers.length} informers${unhealthy > 0 ? `, ${unhealthy} failing` : ", all healthy"}`;
}

/** Replaces the cells of a table, row by row. */
function fill(table, things, write) {
  const body = table.tBodies[0];
  while (body.rows.length > things.length) body.deleteRow(-1);
  things.forEach((thing, at) => {
    const row = body.rows[at] ?? body.insertRow();
    row.replaceChildren(...write(thing, at));
  });
}

function informerRow(informer, at) {
  const state = cell(informer.isSynced ? (informer.isHealthy ? "synced" : "failing") : "syncing");
  state.className = informer.isHealthy ? "good" : informer.isSynced ? "bad" : "warn";
  const failing = informer.streams.map((stream) => stream.failing).find(Boolean);
  const error = failing?.error ?? (informer.isSynced ? null : informer.unsyncedBecause);
  if (error) state.append(text("span", error, "error"));
  return [
    named(informer.name, at), state, cell(wires(informer)), number(count(informer.objects)), number(rate(informer.eventsPerSecond)),
    number(duration(informer.lagSeconds)), number(count(backlog(informer))), number(bytes(memory(informer))),
    number(count(informer.requests.relists)),
  ];
}

/** The encoding of the responses; several if the streams differ. */
function wires(informer) {
  return [...new Set(informer.streams.map((stream) => stream.wire).filter(Boolean))].join(", ");
}

function queueRow(queue, at) {
  return [
    named(queue.name, at), number(count(queue.waiting)), number(count(queue.working)), number(count(queue.delayed)),
    number(duration(queue.oldestSeconds)), number(count(queue.adds)), number(count(queue.retries)),
  ];
}

/** The newest notification is first. */
function showNotifications(sample) {
  const list = element("notifications");
  const items = sample.notifications.map((notification) => {
    const item = document.createElement("li");
    item.append(text("span", notification.event, `event ${notification.event}`), `${notification.resource} `, text("strong", notification.key));
    if (notification.changes?.length > 0) item.append(text("span", ` ${notification.changes.join(", ")}`, "quiet"));
    return item;
  });
  if (sample.omitted > 0) items.push(text("li", `and ${count(sample.omitted)} more`, "quiet"));
  list.prepend(...items.reverse());
  while (list.children.length > NOTIFICATIONS_MAX) list.lastElementChild.remove();
}

function named(name, at) {
  const dot = text("span", "", "dot");
  dot.style.background = colour(at);
  const place = document.createElement("td");
  place.append(dot, name);
  return place;
}

function cell(content) {
  return text("td", content);
}

function number(content) {
  return text("td", content, "number");
}

function text(kind, content, className = "") {
  const made = document.createElement(kind);
  made.textContent = content;
  made.className = className;
  return made;
}
