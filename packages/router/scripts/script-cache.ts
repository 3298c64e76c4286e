/**
 * Scripts that EVALSHA knows, by the digests of their sources. Main has them all, and sends a shard those that it is to run.
 *
 * Scripts that only EVAL has brought are bounded as in Redis 7.4: beyond 500 the one that was used longest ago goes.
 */

import { createHash } from 'node:crypto';
import { asBuffer, type Bytes } from '#base';
import type { Page } from '#stats';
import { staysOnItsKeys } from './script-keys.ts';

/** Most scripts that are there because of EVAL alone. */
const EVALUATED_MAX = 500;
/** Places in which sources are looked for before their digest is made; a power of two. */
const RECENT = 256;

export interface Script {
  /** SHA-1 of the source, 40 hexadecimal digits in lower case. */
  readonly digest: string;
  readonly source: Bytes;
  /** It can touch no key but those that it declares. */
  readonly staysOnItsKeys: boolean;
  /** SCRIPT LOAD has brought it: it stays until SCRIPT FLUSH. */
  isLoaded: boolean;
  /** Shards that have it or get it with a command that was sent, by index. */
  readonly knownTo: boolean[];
  /** Shards that have it by itself: no command sent to them later can come before it. */
  readonly learnedBy: boolean[];
}

export class ScriptCache {
  readonly #scripts = new Map<string, Script>();
  /** Scripts that EVAL has brought, the one used longest ago first. */
  readonly #evaluated = new Map<string, Script>();
  /** Scripts whose sources were seen lately, by a cheap hash of them. */
  readonly #recent: (Script | undefined)[] = new Array<Script | undefined>(RECENT);
  /** Tells the shards that have it that a script is gone. */
  readonly #forgotten: (script: Script) => void;
  readonly #page: Page;

  constructor(page: Page, forgotten: (script: Script) => void) {
    this.#page = page;
    this.#forgotten = forgotten;
  }

  get all(): Iterable<Script> {
    return this.#scripts.values();
  }

  /** Returns the script with a digest, in lower case. */
  byDigest(digest: string): Script | undefined {
    const script = this.#scripts.get(digest);
    if (script !== undefined) this.#use(script);
    return script;
  }

  /** Returns a script's source, without using the script. */
  sourceOf(digest: string): Bytes | undefined {
    return this.#scripts.get(digest)?.source;
  }

  /** Returns the script of a source, which is added where it is new. */
  ofSource(bytes: Bytes, at: number, length: number, isLoaded: boolean): Script {
    const place = placeOf(bytes, at, length);
    const recent = this.#recent[place];
    const isSame = recent !== undefined && isEqual(recent.source, bytes, at, length);
    const script = isSame ? recent : this.#find(bytes, at, length);
    this.#recent[place] = script;
    if (isLoaded && !script.isLoaded) {
      script.isLoaded = true;
      this.#evaluated.delete(script.digest);
    }
    this.#use(script);
    return script;
  }

  /** Forgets one script, which is known to no shard from then on. */
  forget(digest: string): void {
    const script = this.#scripts.get(digest);
    if (script === undefined) return;
    this.#scripts.delete(digest);
    this.#evaluated.delete(digest);
    this.#count(-script.source.length);
    this.#recent.fill(undefined);
    this.#forgotten(script);
  }

  /** Forgets all; the shards are told by whoever calls. */
  clear(): void {
    this.#scripts.clear();
    this.#evaluated.clear();
    this.#recent.fill(undefined);
    this.#page.set('scriptsCached', 0);
    this.#page.set('scriptSourceBytes', 0);
  }

  #find(bytes: Bytes, at: number, length: number): Script {
    const source = Uint8Array.from(bytes.subarray(at, at + length));
    const digest = createHash('sha1').update(source).digest('hex');
    const known = this.#scripts.get(digest);
    if (known !== undefined) return known;
    const script: Script = {
      digest,
      source,
      staysOnItsKeys: staysOnItsKeys(asBuffer(source).toString('latin1')),
      isLoaded: false,
      knownTo: [],
      learnedBy: [],
    };
    this.#scripts.set(digest, script);
    this.#evaluated.set(digest, script);
    this.#count(length);
    if (this.#evaluated.size > EVALUATED_MAX) this.#evict();
    return script;
  }

  /** Puts a script that EVAL has brought behind the others. */
  #use(script: Script): void {
    if (script.isLoaded || !this.#evaluated.delete(script.digest)) return;
    this.#evaluated.set(script.digest, script);
  }

  #count(bytes: number): void {
    this.#page.set('scriptsCached', this.#scripts.size);
    this.#page.add('scriptSourceBytes', bytes);
  }

  #evict(): void {
    const [oldest] = this.#evaluated.keys();
    if (oldest === undefined) return;
    this.#page.add('scriptsEvicted', 1);
    this.forget(oldest);
  }
}

function placeOf(bytes: Bytes, at: number, length: number): number {
  const last = length - 1;
  let hash = length;
  for (let nth = 0; nth < 8; nth += 1) {
    hash = (Math.imul(hash, 31) + (bytes[at + Math.floor((last * nth) / 7)] ?? 0)) | 0;
  }
  return hash & (RECENT - 1);
}

function isEqual(source: Bytes, bytes: Bytes, at: number, length: number): boolean {
  return (
    source.length === length && asBuffer(bytes).compare(source, 0, length, at, at + length) === 0
  );
}
