/** A sample of a shard's keys: the biggest ones, and the bytes of each prefix. */

import type { Bytes } from '#base';
import { typeName } from '#commands';
import { type KeySample, SAMPLE_ROWS_MAX, type SampledKey } from '#stats';
import type { Keyspace, Store } from '#store';

/** Maximum number of bytes of a key or a prefix that are reported. */
const KEY_BYTES_MAX = 128;
const PREFIX_BYTES_MAX = 64;
/** Prefixes that are counted; keys of further ones count as keys without a prefix. */
const PREFIXES_MAX = 1_000;
const COLON = 0x3a;
const STEP_KEYS = 100;

type Ref = ReturnType<Keyspace['randomRef']>;

interface PrefixSum {
  keys: number;
  bytes: number;
}

class Sample {
  sampled = 0;
  /** Sums by the prefix, one character for each byte. */
  readonly prefixes = new Map<string, PrefixSum>();
  #biggest: SampledKey[] = [];
  #leastBytes = 0;

  look(keyspace: Keyspace, ref: Ref, database: number): void {
    const bytes = keyspace.recordBytes(ref);
    const key = keyspace.key(ref);
    this.sampled += 1;
    this.#count(prefixOf(key.bytes, key.at, key.length), bytes);
    if (bytes <= this.#leastBytes) return;
    this.#biggest.push({
      key: key.bytes.slice(key.at, key.at + Math.min(key.length, KEY_BYTES_MAX)),
      isCut: key.length > KEY_BYTES_MAX,
      database,
      type: typeName(keyspace.type(ref)),
      bytes,
    });
    if (this.#biggest.length >= 2 * SAMPLE_ROWS_MAX) this.#cut();
  }

  get biggest(): readonly SampledKey[] {
    this.#cut();
    return this.#biggest;
  }

  #count(prefix: string, bytes: number): void {
    const name = this.prefixes.size < PREFIXES_MAX || this.prefixes.has(prefix) ? prefix : '';
    const sum = this.prefixes.get(name) ?? { keys: 0, bytes: 0 };
    sum.keys += 1;
    sum.bytes += bytes;
    this.prefixes.set(name, sum);
  }

  /** Keeps each key once: random keys may come twice. */
  #cut(): void {
    const seen = new Set<string>();
    this.#biggest = this.#biggest
      .sort((a, b) => b.bytes - a.bytes)
      .filter(({ key, database }) => {
        const name = `${database} ${Buffer.from(key).toString('latin1')}`;
        if (seen.has(name)) return false;
        seen.add(name);
        return true;
      })
      .slice(0, SAMPLE_ROWS_MAX);
    const isFull = this.#biggest.length === SAMPLE_ROWS_MAX;
    this.#leastBytes = isFull ? this.#biggest.at(-1)!.bytes : 0;
  }
}

/** Looks at `count` keys at random, each database by its share; at all keys if there are no more. */
export function sampleKeys({ databases }: Store, count: number): KeySample {
  const keys = databases.reduce((sum, { size }) => sum + size, 0);
  const sample = new Sample();
  for (const [database, keyspace] of databases.entries()) {
    if (keyspace.size === 0) continue;
    if (keys <= count) lookAtAll(keyspace, sample, database);
    else lookAtSome(keyspace, sample, database, Math.ceil((count * keyspace.size) / keys));
  }
  return {
    keys,
    sampled: sample.sampled,
    biggest: sample.biggest,
    prefixes: [...sample.prefixes].map(([prefix, sum]) => ({
      prefix: new Uint8Array(Buffer.from(prefix, 'latin1')),
      ...sum,
    })),
  };
}

function lookAtAll(keyspace: Keyspace, sample: Sample, database: number): void {
  let cursor = 0;
  do {
    cursor = keyspace.scan(cursor, STEP_KEYS, (ref) => {
      sample.look(keyspace, ref, database);
    });
  } while (cursor !== 0);
}

function lookAtSome(keyspace: Keyspace, sample: Sample, database: number, count: number): void {
  for (let nth = 0; nth < count; nth += 1) {
    const ref = keyspace.randomRef();
    if (ref !== 0) sample.look(keyspace, ref, database);
  }
}

/** Up to and with the first colon; empty without one. */
function prefixOf(key: Bytes, at: number, length: number): string {
  const end = at + Math.min(length, PREFIX_BYTES_MAX);
  for (let index = at; index < end; index += 1) {
    if (key[index] === COLON) return Buffer.from(key.subarray(at, index + 1)).toString('latin1');
  }
  return '';
}
