/** Streams against plain arrays: entries, what is known of them, and what is pending. */

import { type Bytes, finish, fromLatin1 } from '#base';
import { type Random, withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { thereAndBack } from '../store.test-helper.ts';
import { EntryCursor } from './entry-cursor.ts';
import { IdPlace } from './id-index.ts';
import { streamCodec, streamCodecOf } from './stream-codec.ts';
import { StreamId } from './stream-id.ts';
import type { StreamLimits } from './stream-options.ts';
import { Stream } from './stream.ts';

const streams = suite('stream, at random');

interface Entry {
  id: number;
  texts: readonly string[];
}

/** Ids far apart and close together, in order. */
const idOf = (id: number): StreamId =>
  new StreamId().setWords(id >>> 12, id << 20, id > 5000 ? -1 : 0, id * 3);

class TextPieces {
  readonly source: Bytes;
  readonly #ends: number[] = [];

  constructor(texts: readonly string[]) {
    this.source = fromLatin1(texts.join(''));
    let end = 0;
    for (const text of texts) this.#ends.push((end += text.length));
  }

  at(index: number): number {
    return index === 0 ? 0 : this.#ends[index - 1]!;
  }

  length(index: number): number {
    return this.#ends[index]! - this.at(index);
  }
}

class World {
  stream = new Stream();
  entries: Entry[] = [];
  lastId = 0;
  added = 0;
  maxDeleted = 0;
  readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  get limits(): StreamLimits {
    return {
      nodeBytes: this.random.pick([0, 100, 600, 4096]),
      nodeEntries: this.random.pick([0, 1, 5, 100, 300]),
    };
  }

  add(limits: StreamLimits): void {
    const { random } = this;
    this.lastId += random.integer(1, 2);
    const texts: string[] = [];
    for (let left = random.pick([1, 1, 1, 2, 3]); left > 0; left -= 1) {
      const text = random.pick(['', '12', '-70000', 'value', 'x'.repeat(random.integer(0, 200))]);
      texts.push(random.pick(['field', 'field', 'other', '7']), text);
    }
    const pieces = new TextPieces(texts);
    const entry = { pieces, first: 0, end: texts.length };
    this.stream.append(idOf(this.lastId), entry, limits);
    this.entries.push({ id: this.lastId, texts });
    this.added += 1;
  }

  remove(): void {
    const id = this.random.integer(0, this.lastId + 1);
    const at = this.entries.findIndex((entry) => entry.id === id);
    const wasFirst = idOf(id).compare(this.stream.firstId) === 0;
    assert.is(this.stream.remove(idOf(id)), at >= 0);
    if (at < 0) return;
    this.entries.splice(at, 1);
    this.maxDeleted = Math.max(this.maxDeleted, id);
    if (wasFirst || this.entries.length === 0) this.stream.refreshFirst();
  }

  trim(): void {
    const { random, entries } = this;
    const kept = random.integer(0, entries.length);
    const firstKept = random.chance(0.5) ? random.integer(0, this.lastId) : undefined;
    const isApproximate = random.chance(0.3);
    const trimmed = this.stream.trim({
      firstKept: firstKept === undefined ? undefined : idOf(firstKept),
      kept,
      references: 'kept',
      isApproximate,
      limit: 0,
    });
    const exact =
      firstKept === undefined
        ? entries.length - kept
        : entries.filter(({ id }) => id < firstKept).length;
    if (isApproximate) assert.ok(trimmed <= exact);
    else assert.is(trimmed, exact);
    entries.splice(0, trimmed);
  }
}

function entriesOf(cursor: EntryCursor): string[][] {
  const found: string[][] = [];
  while (cursor.next()) {
    const texts = [String(cursor.id)];
    for (let left = cursor.fieldCount; left > 0; left -= 1) {
      cursor.nextField();
      texts.push(cursor.field.latin1(), cursor.value.latin1());
    }
    found.push(texts);
  }
  return found;
}

function expected(entries: readonly Entry[]): string[][] {
  return entries.map(({ id, texts }) => [String(idOf(id)), ...texts]);
}

function compare({ stream, entries, lastId, added, maxDeleted, random }: World): void {
  assert.is(stream.length, entries.length);
  assert.is(stream.entriesAdded, added);
  assert.is(String(stream.lastId), String(lastId === 0 ? new StreamId() : idOf(lastId)));
  assert.is(
    String(stream.maxDeletedId),
    String(maxDeleted === 0 ? new StreamId() : idOf(maxDeleted)),
  );
  const first = entries[0];
  assert.is(String(stream.firstId), String(first === undefined ? new StreamId() : idOf(first.id)));
  const one = random.integer(0, lastId + 1);
  const other = random.integer(0, lastId + 1);
  const low = Math.min(one, other);
  const high = Math.max(one, other);
  const inside = expected(entries.filter(({ id }) => id >= low && id <= high));
  const cursor = new EntryCursor();
  assert.equal(entriesOf(cursor.open(stream.nodes, idOf(low), idOf(high))), inside);
  const back = entriesOf(cursor.open(stream.nodes, idOf(low), idOf(high), true));
  assert.equal(back.reverse(), inside);
  // Not all fields need be read.
  cursor.open(stream.nodes, new StreamId(), new StreamId().setMax());
  for (const { id } of entries) {
    assert.ok(cursor.next());
    assert.is(cursor.id.compare(idOf(id)), 0);
    for (let left = random.integer(0, cursor.fieldCount); left > 0; left -= 1) cursor.nextField();
  }
  assert.not.ok(cursor.next());
}

/** A copy of the stream, which takes as much; or the stream built again. */
function rebuilt(stream: Stream, random: Random): Stream {
  // A stream of few bytes goes through many sections too.
  const codec = random.pick([streamCodec, streamCodecOf(1), streamCodecOf(500)]);
  if (random.chance(0.5)) return thereAndBack(codec, stream) as Stream;
  const copy = finish(stream.copy());
  assert.is(copy.totalBytes, stream.totalBytes);
  return copy;
}

streams(
  'entries agree with an array',
  withRandom((random) => {
    const world = new World(random);
    const empty = world.stream.totalBytes;
    let { limits } = world;
    for (let step = 0; step < 8000; step += 1) {
      const kind = random.fraction();
      if (kind < 0.7) world.add(limits);
      else if (kind < 0.98) world.remove();
      else if (kind < 0.985) world.trim();
      else ({ limits } = world);
      if (step % 200 !== 0) continue;
      compare(world);
      if (random.chance(0.3)) world.stream = rebuilt(world.stream, random);
      compare(world);
    }
    world.stream.trim({
      firstKept: undefined,
      kept: 0,
      references: 'kept',
      isApproximate: false,
      limit: 0,
    });
    world.entries = [];
    compare(world);
    assert.is(world.stream.totalBytes, empty);
  }),
);

streams('a queue that is trimmed at the front stays small', () => {
  const stream = new Stream();
  const pieces = new TextPieces(['field', 'x'.repeat(20)]);
  const entry = { pieces, first: 0, end: 2 };
  const limits = { nodeBytes: 4096, nodeEntries: 100 };
  const id = new StreamId();
  const trimming = {
    firstKept: undefined,
    kept: 1000,
    references: 'kept' as const,
    isApproximate: true,
    limit: 0,
  };
  let most = 0;
  for (let nth = 1; nth <= 50_000; nth += 1) {
    stream.append(id.setMs(nth), entry, limits);
    stream.trim(trimming);
    most = Math.max(most, stream.totalBytes);
  }
  assert.ok(most < 1100 * 31 * 2.5, `${most} bytes`);
});

streams('entries take little beside what they hold', () => {
  const stream = new Stream();
  const pieces = new TextPieces(['field', 'x'.repeat(20)]);
  const entry = { pieces, first: 0, end: 2 };
  const limits = { nodeBytes: 4096, nodeEntries: 100 };
  const id = new StreamId();
  for (let nth = 1; nth <= 100_000; nth += 1) stream.append(id.setMs(nth), entry, limits);
  assert.ok(stream.totalBytes / 100_000 < 32, `${stream.totalBytes / 100_000} bytes for each`);
});

streams('few entries that are left of many take little', () => {
  const stream = new Stream();
  const pieces = new TextPieces(['field', 'x'.repeat(100)]);
  const entry = { pieces, first: 0, end: 2 };
  const limits = { nodeBytes: 4096, nodeEntries: 10 };
  const id = new StreamId();
  for (let nth = 1; nth <= 20_000; nth += 1) stream.append(id.setMs(nth), entry, limits);
  const full = stream.totalBytes;
  for (let nth = 1; nth <= 20_000; nth += 1) if (nth % 100 >= 10) stream.remove(id.setMs(nth));
  assert.is(stream.length, 2000);
  assert.ok(stream.totalBytes < full / 3, `${stream.totalBytes} of ${full} bytes`);
});

interface Delivery {
  consumer: string;
  ms: number;
  count: number;
}

streams(
  'pending entries agree with a map',
  withRandom((random) => {
    let stream = new Stream();
    const none = stream.totalBytes;
    let group = stream.createGroup('group', new StreamId(), 0);
    const model = new Map<number, Delivery>();
    const names = ['', 'a', 'b', 'c'];
    const place = new IdPlace();
    const id = new StreamId();
    for (let step = 0; step < 20_000; step += 1) {
      const number = random.chance(0.5) ? step : random.integer(0, step);
      const name = random.pick(names);
      const consumer = group.consumers.get(name) ?? group.createConsumer(name, step);
      const kind = random.fraction();
      if (kind < 0.6) {
        group.deliver(idOf(number), consumer, step);
        model.set(number, { consumer: name, ms: step, count: 1 });
      } else if (kind < 0.99) {
        assert.is(group.acknowledge(idOf(number)), model.delete(number));
      } else if (random.chance(0.05)) {
        group.removeConsumer(consumer);
        const own = [...model].filter(([, delivery]) => delivery.consumer === name);
        for (const [key] of own) model.delete(key);
      }
      if (step % 1000 !== 0) continue;
      const pending = [...model].sort(([a], [b]) => idOf(a).compare(idOf(b)));
      const found: unknown[] = [];
      for (let more = group.pending.first(place); more; more = group.pending.next(place)) {
        group.pending.readId(place, id);
        const ms = group.deliveredMs(place);
        const count = group.deliveries(place);
        found.push([String(id), { consumer: group.consumerAt(place)?.name, ms, count }]);
      }
      assert.equal(
        found,
        pending.map(([key, delivery]) => [String(idOf(key)), delivery]),
      );
      const owned = group.consumers.sorted.reduce((sum, each) => sum + each.pending.count, 0);
      assert.is(owned, model.size);
      stream = rebuilt(stream, random);
      group = stream.groups.get('group')!;
    }
    stream.removeGroup(group);
    assert.is(stream.totalBytes, none);
  }),
);

streams('a million pending entries take less than 60 bytes each', () => {
  const stream = new Stream();
  const group = stream.createGroup('group', new StreamId(), 0);
  const consumer = group.createConsumer('consumer', 0);
  const id = new StreamId();
  const count = 1_000_000;
  for (let nth = 1; nth <= count; nth += 1) group.deliver(id.setMs(nth), consumer, nth);
  assert.ok(stream.totalBytes / count < 60, `${stream.totalBytes / count} bytes for each`);
  for (let nth = 1; nth <= count; nth += 1) assert.ok(group.acknowledge(id.setMs(nth)));
  assert.ok(stream.totalBytes < 3000);
});

streams.run();
