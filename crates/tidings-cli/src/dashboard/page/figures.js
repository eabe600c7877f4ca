// The values that the charts show, and how values are formatted.

/** The charts: how each value is read from an informer or a queue, and how it is formatted. */
export const FIGURES = [
  { title: "Objects", of: "informers", read: (informer) => informer.objects, write: count },
  { title: "Events/s", of: "informers", read: (informer) => informer.eventsPerSecond, write: rate },
  { title: "Lag", of: "informers", read: (informer) => informer.lagSeconds, write: duration, joined: Math.max },
  { title: "Backlog", of: "informers", read: backlog, write: count },
  { title: "Memory", of: "informers", read: memory, write: bytes },
  { title: "Queue depth", of: "queues", read: (queue) => queue.waiting + queue.delayed, write: count },
];

/** Adds the rates, which need two samples. */
export function withRates(sample, before) {
  const earlier = new Map((before?.diagnostics.informers ?? []).map((informer) => [informer.name, informer]));
  const elapsed = before ? sample.seconds - before.seconds : 0;
  for (const informer of sample.diagnostics.informers) {
    const known = earlier.get(informer.name);
    const events = known ? informer.requests.events - known.requests.events : 0;
    informer.eventsPerSecond = elapsed > 0 ? Math.max(0, events / elapsed) : 0;
  }
  return sample;
}

export function backlog(informer) {
  return informer.queuedDeltas + informer.handlers.reduce((sum, handler) => sum + handler.backlog, 0);
}

export function memory(informer) {
  const { objectBytes, indexBytes, backlogBytes, queueBytes } = informer.memory;
  return objectBytes + indexBytes + backlogBytes + queueBytes;
}

export function count(value) {
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)}M`;
  if (value >= 1e5) return `${Math.round(value / 1e3)}k`;
  return Math.round(value).toLocaleString("en");
}

export function rate(value) {
  return value >= 100 ? count(value) : value.toFixed(1);
}

export function duration(seconds) {
  if (seconds >= 60) return `${(seconds / 60).toFixed(1)} min`;
  if (seconds >= 1) return `${seconds.toFixed(1)} s`;
  return `${Math.round(seconds * 1000)} ms`;
}

export function bytes(value) {
  for (const [unit, size] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]]) {
    if (value >= size) return `${(value / size).toFixed(1)} ${unit}`;
  }
  return `${Math.round(value)} B`;
}
