/**
 * Cost of a set, a get and a key: time per operation by number of keys, the longest single set, and bytes per key. Run
 * it by `node --expose-gc dist/bench/micro/store.js [keys...]`.
 */
import { keyScratch, Store, valueScratch } from '#store';

const KEY_BYTES = 16;
const VALUE_BYTES = 64;
const MIXED_OPERATIONS = 2_000_000;
const FRAMES = 4096;
const FRAME_BYTES = 128;

/** Requests as they lie in a ring: key and value one after another in shared memory. */
const ring = new Uint8Array(new SharedArrayBuffer(FRAMES * FRAME_BYTES));

function nowNs(): number {
  return Number(process.hrtime.bigint());
}

function writeKey(frame: number, id: number): number {
  const at = frame * FRAME_BYTES + 21;
  let rest = id;
  for (let i = KEY_BYTES - 1; i >= 4; i -= 1) {
    ring[at + i] = 48 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  return at;
}

let state = 12345;
function nextId(count: number): number {
  state = (Math.imul(state, 1664525) + 1013904223) | 0;
  return Math.floor(((state >>> 0) / 2 ** 32) * count);
}

/** Runs `work` over frames prepared beforehand, so that making keys is not measured. */
function timed(
  operations: number,
  idOf: (i: number) => number,
  work: (at: number) => void,
): number {
  let spent = 0;
  for (let done = 0; done < operations; done += FRAMES) {
    for (let i = 0; i < FRAMES; i += 1) writeKey(i, idOf(done + i));
    const begin = nowNs();
    for (let i = 0; i < FRAMES; i += 1) work(i * FRAME_BYTES + 21);
    spent += nowNs() - begin;
  }
  return spent / (Math.ceil(operations / FRAMES) * FRAMES);
}

function report(count: number): void {
  globalThis.gc?.();
  const before = process.memoryUsage();
  const store = new Store({ databases: 16, seed: new Uint8Array(16).fill(7), random: Math.random });
  const keyspace = store.databases[0]!;
  ring.fill(107);
  const set = (at: number): void => {
    keyspace.set(
      keyScratch.point(ring, at, KEY_BYTES),
      valueScratch.point(ring, at + KEY_BYTES + 5, VALUE_BYTES),
    );
  };
  let sum = 0;
  const get = (at: number): void => {
    const ref = keyspace.find(ring, at, KEY_BYTES);
    if (ref === 0) return;
    const view = keyspace.value(ref);
    sum += view.bytes[view.at]! + view.length;
  };
  const fill = timed(count, (i) => i % count, set);
  globalThis.gc?.();
  const after = process.memoryUsage();
  const overwrite = timed(MIXED_OPERATIONS, () => nextId(count), set);
  const read = timed(MIXED_OPERATIONS, () => nextId(count), get);
  const miss = timed(MIXED_OPERATIONS, () => nextId(count) + 1e9, get);
  let turn = 0;
  const mixed = timed(
    MIXED_OPERATIONS,
    () => nextId(count),
    (at) => {
      turn ^= 1;
      if (turn === 0) set(at);
      else get(at);
    },
  );
  const perKey = (bytes: number): string => (bytes / count).toFixed(1);
  console.log(
    `${count} keys: fill ${fill.toFixed(0)} ns, set ${overwrite.toFixed(0)}, get ${read.toFixed(0)}, ` +
      `miss ${miss.toFixed(0)}, mixed ${mixed.toFixed(0)} (${(1e3 / mixed).toFixed(2)} M/s); bytes per key: ` +
      `rss ${perKey(after.rss - before.rss)}, buffers ${perKey(after.arrayBuffers - before.arrayBuffers)}, ` +
      `used ${perKey(store.memory.usedBytes)}, segments and index ` +
      `${perKey(store.memory.segmentBytes + store.memory.indexBytes)} (${sum & 1})`,
  );
}

/** Each set of a growing database timed by itself. */
function reportLongest(count: number): void {
  const store = new Store({ databases: 16, seed: new Uint8Array(16).fill(9), random: Math.random });
  const keyspace = store.databases[0]!;
  const longest: number[] = [];
  let over = 0;
  for (let i = 0; i < count; i += 1) {
    const at = writeKey(i % FRAMES, i);
    const begin = nowNs();
    keyspace.set(
      keyScratch.point(ring, at, KEY_BYTES),
      valueScratch.point(ring, at + KEY_BYTES + 5, VALUE_BYTES),
    );
    const spent = nowNs() - begin;
    if (spent > 200_000) over += 1;
    if (longest.length < 8 || spent > longest[7]!) {
      longest.push(spent);
      longest.sort((a, b) => b - a);
      longest.length = Math.min(8, longest.length);
    }
  }
  console.log(
    `longest single sets while inserting ${count}: ${longest.map((ns) => (ns / 1e3).toFixed(0)).join(' ')} us; ` +
      `${over} above 200 us`,
  );
}

const [mode, ...rest] = process.argv.slice(2);
if (mode === 'longest') reportLongest(Number(rest[0] ?? 5_000_000));
else for (const count of [mode ?? '100000', ...rest]) report(Number(count));
