/** Sessions of TLS by their ids, for clients that take no tickets; the one used last is kept longest. */

interface Kept {
  readonly session: Buffer;
  readonly untilMs: number;
}

export class SessionCache {
  /** Oldest use first. */
  readonly #sessions = new Map<string, Kept>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Keeps a session for `seconds`, and of all sessions the newest `countMax`; 0 is no limit. */
  add(id: Buffer, session: Buffer, seconds: number, countMax: number): void {
    const name = id.toString('latin1');
    this.#sessions.delete(name);
    this.#sessions.set(name, { session, untilMs: this.#nowMs() + seconds * 1_000 });
    if (countMax > 0) this.trim(countMax);
  }

  /** Returns the session of an id; null if there is none, or it has expired. */
  get(id: Buffer): Buffer | null {
    const name = id.toString('latin1');
    const kept = this.#sessions.get(name);
    if (kept === undefined) return null;
    this.#sessions.delete(name);
    if (kept.untilMs <= this.#nowMs()) return null;
    this.#sessions.set(name, kept);
    return kept.session;
  }

  /** Leaves the newest `count`. */
  trim(count: number): void {
    for (const name of this.#sessions.keys()) {
      if (this.#sessions.size <= count) return;
      this.#sessions.delete(name);
    }
  }
}
