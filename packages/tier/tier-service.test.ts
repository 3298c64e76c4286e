/** Both ends of the way to a disk, in one thread: batches, disks that fail, and values that are damaged. */
import { type Bytes, CommandError } from '#base';
import { allocateShared, defaultShape, layoutOf, LinkMemory } from '#link';
import { warm } from '#store';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TierFault, TierFigures } from './tier-figures.ts';
import { TierLink } from './tier-link.ts';
import { TierService, type ExtentChange, type ExtentDisk } from './tier-service.ts';

const services = suite('tier service');

/** Difference between the first value numbers of two extents. */
const NUMBERS_PER_EXTENT = 1_024;
/** Bytes of an entry before its key, and the key. */
const ENTRY_HEAD_BYTES = 12;
const KEY = Buffer.from('key');
/** More than all time that a batch waits. */
const WAITED_US = 1_000_000;

/** A disk in memory with injected failures. */
class PlayedDisk implements ExtentDisk {
  readonly extents = new Map<number, Bytes>();
  readonly batches: number[] = [];
  writtenBytes = 0;
  writeError: Error | undefined;
  readError: Error | undefined;
  isGone = false;
  canRenew = false;

  read(extent: number): Bytes | undefined {
    if (this.readError !== undefined) throw this.readError;
    return this.extents.get(extent);
  }

  commit(changes: readonly ExtentChange[]): void {
    if (this.writeError !== undefined) throw this.writeError;
    this.batches.push(changes.length);
    for (const { extent, bytes } of changes) {
      if (bytes === undefined) this.extents.delete(extent);
      else this.extents.set(extent, bytes.slice());
    }
  }

  look(): number {
    return this.isGone ? -1 : 0;
  }

  renew(): boolean {
    if (this.canRenew) this.isGone = false;
    return this.canRenew;
  }

  close(): void {
    this.extents.clear();
  }
}

class Ends {
  readonly disk = new PlayedDisk();
  readonly figures = new TierFigures(allocateShared(TierFigures.bytes));
  readonly link: TierLink;
  readonly service: TierService;
  readonly #bodies: ArrayBuffer[] = [];
  nowUs = 0;

  constructor() {
    const layout = layoutOf(defaultShape(1, 0, 1));
    const memory = LinkMemory.allocate(layout.bytes);
    const [places] = layout.tiers;
    assert.ok(places !== undefined);
    const nothing = (): void => undefined;
    const send = (body: ArrayBuffer): void => {
      this.#bodies.push(body);
    };
    const receive = (): ArrayBuffer => this.#bodies.shift()!;
    const { figures, disk } = this;
    const both = { memory, places, figures, wake: nothing, send, receive };
    this.link = new TierLink({ ...both, nowMs: () => this.nowUs / 1_000 });
    const nowUs = (): number => this.nowUs;
    this.service = new TierService({ ...both, disk, nowUs, wallMs: () => this.nowUs / 1_000 });
  }

  /** Has the service do what was ordered; `later` when a batch need not wait any more. */
  serve(later = true): void {
    this.link.publish();
    this.service.turn();
    if (!later) return;
    this.nowUs += WAITED_US;
    while (this.service.turn());
  }

  /** Advances the time by `seconds`. */
  pass(seconds: number): void {
    for (let nth = 0; nth < seconds; nth += 1) {
      this.nowUs += WAITED_US;
      this.serve();
    }
  }

  /** Puts an extent with one value. */
  put(extent: number, value: string): boolean {
    return this.link.put(extent, extentWith(extent, value));
  }

  /** The value of an extent, or the error in its place. */
  value(extent: number): string {
    this.link.ask(extent * NUMBERS_PER_EXTENT);
    this.serve(false);
    const found: string[] = [];
    this.link.take(({ bytes }) => {
      if (bytes instanceof CommandError) found.push(bytes.message);
      else found.push(Buffer.from(bytes.subarray(ENTRY_HEAD_BYTES + KEY.length)).toString());
    });
    return found.join();
  }
}

function extentWith(extent: number, value: string): Bytes {
  const writer = new warm.ExtentWriter(extent, warm.entryBytes(KEY.length, value.length));
  const head = { type: 1, encoding: 0, isObject: false, valueLength: value.length };
  const key = { bytes: KEY, at: 0, length: KEY.length };
  writer.add(head, key, (target, at) => {
    target.set(Buffer.from(value), at);
  });
  return writer.finish();
}

services('writes several changes at once, and reads what it has not written yet', () => {
  const ends = new Ends();
  assert.ok(ends.put(1, 'one'));
  ends.serve(false);
  assert.equal(ends.disk.batches, [], 'more may come');
  assert.is(ends.value(1), 'one');
  assert.ok(ends.put(2, 'two'));
  ends.serve();
  assert.equal(ends.disk.batches, [2]);
  for (let extent = 10; extent < 18; extent += 1) assert.ok(ends.put(extent, String(extent)));
  ends.serve(false);
  assert.equal(ends.disk.batches, [2, 8], 'enough have come');
  assert.is(ends.value(2), 'two');
  assert.is(ends.value(17), '17');
  ends.link.drop(2);
  ends.serve();
  assert.match(ends.value(2), /^ERR /);
});

services('a disk that is full costs the room for more, and nothing that it was given', () => {
  const ends = new Ends();
  ends.disk.writeError = new Error('ENOSPC: no space left on device');
  assert.ok(ends.put(1, 'one'));
  ends.serve();
  assert.is(ends.figures.get('fault'), TierFault.full);
  assert.ok(ends.figures.get('faultSinceMs') > 0);
  assert.not.ok(ends.put(2, 'two'), 'nothing more is taken');
  assert.is(ends.value(1), 'one');
  ends.disk.writeError = undefined;
  ends.serve();
  assert.ok(ends.put(2, 'two'), 'there is room');
  assert.is(ends.figures.get('fault'), TierFault.full, 'it may fail again soon');
  ends.pass(10);
  assert.is(ends.figures.get('fault'), TierFault.none);
  assert.is(ends.figures.get('faultSinceMs'), 0);
  assert.equal([...ends.disk.extents.keys()], [1, 2]);
});

services('one that may not be written is told by another name', () => {
  const ends = new Ends();
  ends.disk.writeError = new Error('EACCES: permission denied');
  assert.ok(ends.put(1, 'one'));
  ends.serve();
  assert.is(ends.figures.get('fault'), TierFault.unwritable);
  assert.is(ends.value(1), 'one');
});

services('a value that is damaged, gone or cannot be read is an error in its place', () => {
  const ends = new Ends();
  for (const extent of [1, 2, 3]) assert.ok(ends.put(extent, `value ${String(extent)}`));
  ends.serve();
  const damaged = ends.disk.extents.get(1)!;
  damaged[20] = damaged[20]! ^ 1;
  ends.disk.extents.delete(2);
  assert.match(ends.value(1), /^ERR .*damaged/);
  assert.match(ends.value(2), /^ERR /);
  assert.is(ends.value(3), 'value 3');
  ends.disk.readError = new Error('EIO: i/o error');
  assert.match(ends.value(3), /^ERR /);
  ends.disk.readError = undefined;
  assert.is(ends.value(3), 'value 3');
  assert.is(ends.figures.get('errors'), 2);
});

services('a folder that has gone is made again, and all is read meanwhile', () => {
  const ends = new Ends();
  assert.ok(ends.put(1, 'one'));
  ends.serve();
  ends.disk.isGone = true;
  ends.pass(1);
  assert.is(ends.figures.get('fault'), TierFault.vanished);
  assert.is(ends.value(1), 'one');
  assert.ok(ends.put(2, 'two'), 'the open file takes it');
  ends.disk.canRenew = true;
  ends.pass(2);
  assert.is(ends.figures.get('fault'), TierFault.vanished, 'it may be on its way out still');
  assert.ok(ends.disk.isGone);
  ends.pass(20);
  assert.not.ok(ends.disk.isGone);
  assert.is(ends.figures.get('fault'), TierFault.none);
  assert.is(ends.value(2), 'two');
});

for (const code of ['EIO', 'EROFS', 'ENOTDIR']) {
  services(`${code} on a write ends when the disk takes writes again`, () => {
    const ends = new Ends();
    ends.disk.writeError = new Error(`${code}: played`);
    assert.ok(ends.put(1, 'one'));
    ends.serve();
    assert.is(ends.figures.get('fault'), TierFault.unwritable);
    assert.not.ok(ends.put(2, 'two'), 'nothing more is taken');
    assert.is(ends.value(1), 'one');
    ends.disk.writeError = undefined;
    ends.pass(10);
    assert.is(ends.figures.get('fault'), TierFault.none);
    assert.equal([...ends.disk.extents.keys()], [1]);
  });
}

services.run();
