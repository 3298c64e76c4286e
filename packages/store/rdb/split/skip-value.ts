/**
 * Steps over values by their lengths, without making anything of them. What `readValue` reads can be stepped over, and
 * nothing else; bytes behind the lengths are only looked at when the value is read.
 */
import { demand } from '../format/malformed.ts';
import { RdbType } from '../format/rdb-type.ts';
import type { RdbReader } from '../format/rdb-reader.ts';

/** Skips an elementary part of a value, completely or not at all. */
type Step = (reader: RdbReader) => void;

/** Repeated pieces of the same layout, preceded by their number. */
interface Repeat {
  readonly layout: Layout;
  /** Reads the number of pieces, and throws if there are fewer bytes than they need. */
  readonly count: (reader: RdbReader) => number;
}

/** Parts of a value, in order. */
type Layout = readonly (Step | Repeat)[];

/** The fewest bytes of a stream's nodes, groups, consumers and what is pending for a group and a consumer. */
const NODE_BYTES = 18;
const GROUP_BYTES = 5;
const CONSUMER_BYTES = 10;
const PENDING_BYTES = 25;
const OWNED_BYTES = 16;
/** The fewest bytes of a producer of entries, and of its idempotent ids. */
const PRODUCER_BYTES = 2;
const IDEMPOTENT_BYTES = 3;

const string: Step = (reader) => {
  reader.skipString();
};
const length: Step = (reader) => {
  reader.length();
};
const wide: Step = (reader) => {
  reader.wideLength();
};
const score: Step = (reader) => {
  reader.skipTextDouble();
};
/** A double, or a moment. */
const eightBytes: Step = (reader) => {
  reader.skip(8);
};
const streamId: Step = (reader) => {
  reader.skip(16);
};

/** Returns a repetition of a layout, of any number of pieces (also none) with at least `bytes` bytes each. */
const any = (bytes: number, layout: Layout): Repeat => ({
  layout,
  count: (reader) => reader.pieces(bytes),
});

const TEXT: Layout = [string];
const TEXTS: Layout = [any(1, [string])];
const FIELDS_WITH_ENDS = any(1, [length, string, string]);

/** Layout of a stream; `version` is that of the type in its name (stream, stream2, ...). */
function streamLayout(version: 1 | 2 | 3 | 4 | 5): Layout {
  const hasCounters = version >= 2;
  const ids = any(OWNED_BYTES, [streamId]);
  const times = version >= 3 ? [eightBytes, eightBytes] : [eightBytes];
  const pending = any(PENDING_BYTES, [streamId, eightBytes, wide]);
  const consumers = any(CONSUMER_BYTES, [string, ...times, ids]);
  // The name and the last id, and how many were read; behind the consumers, released entries.
  const group = [
    ...[string, wide, wide, ...(hasCounters ? [wide] : [])],
    ...[pending, consumers, ...(version >= 5 ? [ids] : [])],
  ];
  return [
    any(NODE_BYTES, [string, string]),
    // The length and the last id; the first id, the highest deleted one, and how many were added.
    ...[length, wide, wide],
    ...(hasCounters ? [wide, wide, wide, wide, wide] : []),
    any(GROUP_BYTES, group),
    ...(version >= 4 ? IDEMPOTENCY : []),
  ];
}

/** Limits of idempotent ids, the ids by producer, and how many were added and known. */
const IDEMPOTENCY: Layout = [
  ...[length, length],
  any(PRODUCER_BYTES, [string, any(IDEMPOTENT_BYTES, [string, wide, wide])]),
  ...[length, length],
];

const layouts = new Map<number, Layout>([
  [RdbType.string, TEXT],
  [RdbType.list, TEXTS],
  [RdbType.set, TEXTS],
  [RdbType.zset, [any(1, [string, score])]],
  [RdbType.hash, [any(1, [string, string])]],
  [RdbType.zset2, [any(1, [string, eightBytes])]],
  [RdbType.hashZipmap, TEXT],
  [RdbType.listZiplist, TEXT],
  [RdbType.setIntset, TEXT],
  [RdbType.zsetZiplist, TEXT],
  [RdbType.hashZiplist, TEXT],
  [RdbType.listQuicklist, TEXTS],
  [RdbType.stream, streamLayout(1)],
  [RdbType.hashListpack, TEXT],
  [RdbType.zsetListpack, TEXT],
  [RdbType.listQuicklist2, [any(1, [length, string])]],
  [RdbType.stream2, streamLayout(2)],
  [RdbType.setListpack, TEXT],
  [RdbType.stream3, streamLayout(3)],
  [RdbType.hashMetadataEarly, [FIELDS_WITH_ENDS]],
  [RdbType.hashListpackExEarly, TEXT],
  [RdbType.hashMetadata, [eightBytes, FIELDS_WITH_ENDS]],
  [RdbType.hashListpackEx, [eightBytes, string]],
  [RdbType.stream4, streamLayout(4)],
  [RdbType.stream5, streamLayout(5)],
]);

/** Type of a module's value, in Redis' numbers. */
export const MODULE_TYPE = 7;

/** Parts of a module's value, each after its code. */
const ModulePart = { end: 0, signed: 1, unsigned: 2, float: 3, double: 4, string: 5 } as const;

/** Steps over the number of a module and the parts of its value. */
export function skipModuleValue(reader: RdbReader): void {
  reader.wideLength();
  for (let code = reader.length(); code !== ModulePart.end; code = reader.length()) {
    if (code === ModulePart.string) reader.skipString();
    else if (code === ModulePart.float) reader.skip(4);
    else if (code === ModulePart.double) reader.skip(8);
    else {
      demand(code === ModulePart.signed || code === ModulePart.unsigned);
      reader.wideLength();
    }
  }
}

/** Layout of a value that is stepped over and never read. */
export const MODULE_LAYOUT: Layout = [skipModuleValue];

/** Layouts by type: one is looked up for each key. */
const layoutByType = Array.from({ length: 1 + Math.max(...layouts.keys()) }, (_, type) =>
  layouts.get(type),
);

/** The layout of a type's values; undefined where it is none that can be read. */
export function layoutOf(type: number): Layout | undefined {
  return layoutByType[type];
}

/** Pieces of a layout around the one at hand. */
interface Level {
  readonly layout: Layout;
  readonly next: number;
  readonly left: number;
}

/** Skips values one after the other; a value may take several runs if its bytes arrive in pieces. */
export class ValueSkipper {
  /** Position of the reader up to which no run has to read again. */
  position = 0;
  /** Number of parts and counts that were tried so far, of all values. */
  steps = 0;
  #layout: Layout = TEXT;
  /** Index of the part that comes next, and the pieces that are left with the one at hand. */
  #next = 0;
  #left = 0;
  readonly #outer: Level[] = [];

  begin(layout: Layout): void {
    this.#enter(layout, 1);
    this.#outer.length = 0;
  }

  /**
   * Skips the rest of the value. If the reader ends first, it throws a MalformedValueError, and another run can follow
   * with a reader that has more bytes, from `position` on.
   */
  run(reader: RdbReader): void {
    do {
      this.#piece(reader);
    } while (this.#outer.length > 0 || this.#left > 0);
  }

  /** Steps over the parts of one piece, or as far as the first that has pieces itself. */
  #piece(reader: RdbReader): void {
    const layout = this.#layout;
    while (this.#next < layout.length) {
      const part = layout[this.#next]!;
      this.position = reader.position;
      this.steps += 1;
      if (typeof part === 'function') {
        part(reader);
        this.#next += 1;
        continue;
      }
      const count = part.count(reader);
      this.#next += 1;
      if (count === 0) continue;
      this.#outer.push({ layout, next: this.#next, left: this.#left });
      this.#enter(part.layout, count);
      return;
    }
    this.#left -= 1;
    this.#next = 0;
    if (this.#left === 0) this.#leave();
  }

  #enter(layout: Layout, count: number): void {
    this.#layout = layout;
    this.#next = 0;
    this.#left = count;
  }

  #leave(): void {
    const level = this.#outer.pop();
    if (level === undefined) return;
    this.#layout = level.layout;
    this.#next = level.next;
    this.#left = level.left;
  }
}
