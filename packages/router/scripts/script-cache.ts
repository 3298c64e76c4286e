/**
 * Scripts that EVALSHA knows, by the digests of their sources. Main has them all, and sends a shard those that it is to run.
 *
 * Scripts that only EVAL has brought are bounded as in Redis 7.4: beyond 500 the one that was used longest ago goes.
 */

import { asBuffer, type Bytes, NamedDigests, SourceDigests } from '#base';
import { scriptShebang } from '#commands';
import type { Page } from '#stats';
import { staysOnItsKeys } from './script-keys.ts';

/** Maximum number of cached scripts that were only added by EVAL. */
const EVALUATED_MAX = 500;

export interface Script {
  /** SHA-1 of the source, 40 hexadecimal digits in lower case. */
  readonly digest: string;
  readonly source: Bytes;
  /** True if the script can only access its declared keys. */
  readonly staysOnItsKeys: boolean;
  /** Its first line says that it does not write. */
  readonly isReadOnly: boolean;
  /** SCRIPT LOAD has brought it: it stays until SCRIPT FLUSH. */
  isLoaded: boolean;
  /** Shards that have it or get it with a command that was sent, by index. */
  readonly knownTo: boolean[];
  /** Shards to which its source was sent separately: no later command can arrive before it. */
  readonly learnedBy: boolean[];
}

export class ScriptCache {
  readonly #scripts = new Map<string, Script>();
  /** Scripts that EVAL has brought, the one used longest ago first. */
  readonly #evaluated = new Map<string, Script>();
  /** Script that was used last: it is behind the others. */
  #latest: Script | undefined;
  readonly #digests = new SourceDigests();
  readonly #named = new NamedDigests();
  /** Notifies the shards that have a script of its removal. */
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

  /** Returns the script that is named by its digest, in either case. */
  named(bytes: Bytes, at: number, length: number): Script | undefined {
    const digest = this.#named.of(bytes, at, length);
    return digest === undefined ? undefined : this.byDigest(digest);
  }

  /** Returns a script's source, without using the script. */
  sourceOf(digest: string): Bytes | undefined {
    return this.#scripts.get(digest)?.source;
  }

  /** Returns the script of a source, which is added where it is new. */
  ofSource(bytes: Bytes, at: number, length: number, isLoaded: boolean): Script {
    const digest = this.#digests.of(bytes, at, length);
    const script =
      this.#scripts.get(digest) ??
      this.#add(digest, Uint8Array.from(bytes.subarray(at, at + length)));
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
    if (script === this.#latest) this.#latest = undefined;
    this.#count(-script.source.length);
    this.#forgotten(script);
  }

  /** Removes all scripts; the caller notifies the shards. */
  clear(): void {
    this.#scripts.clear();
    this.#evaluated.clear();
    this.#latest = undefined;
    this.#digests.clear();
    this.#page.set('scriptsCached', 0);
    this.#page.set('scriptSourceBytes', 0);
  }

  #add(digest: string, source: Bytes): Script {
    const text = asBuffer(source).toString('latin1');
    const script: Script = {
      digest,
      source,
      staysOnItsKeys: staysOnItsKeys(text),
      isReadOnly: saysReadOnly(text),
      isLoaded: false,
      knownTo: [],
      learnedBy: [],
    };
    this.#scripts.set(digest, script);
    this.#evaluated.set(digest, script);
    this.#count(source.length);
    if (this.#evaluated.size > EVALUATED_MAX) this.#evict();
    return script;
  }

  /** Puts a script that EVAL has brought behind the others. */
  #use(script: Script): void {
    if (script.isLoaded || script === this.#latest) return;
    this.#latest = script;
    // One that is new was put there when it was added.
    if (this.#evaluated.delete(script.digest)) this.#evaluated.set(script.digest, script);
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

/** False where the first line is wrong too: the shard refuses the script. */
function saysReadOnly(text: string): boolean {
  try {
    return scriptShebang(text).flags?.has('no-writes') === true;
  } catch {
    return false;
  }
}
