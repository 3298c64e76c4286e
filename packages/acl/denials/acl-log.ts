/** The log of what was denied, newest first: alike denials within a minute are one entry (as ACL LOG of Redis 7.4). */

export type DenialReason = 'command' | 'key' | 'channel' | 'auth';
export type DenialContext = 'toplevel' | 'multi' | 'lua';

/** A denial. Texts have a character for each byte. */
export interface AclDenial {
  readonly reason: DenialReason;
  readonly context: DenialContext;
  /** The denied command, key or channel; of a failed authentication, the command. */
  readonly object: string;
  readonly user: string;
  /** The client as CLIENT LIST shows it. */
  readonly client: string;
}

/** A denial as reported by a shard to main. */
export interface ShardDenial extends Pick<AclDenial, 'context' | 'object'> {
  readonly reason: Exclude<DenialReason, 'auth'>;
  /** Slot of the client. */
  readonly connection: number;
}

interface AclLogEntry extends AclDenial {
  readonly id: number;
  readonly count: number;
  readonly createdMs: number;
  readonly updatedMs: number;
}

/** Denials further apart are entries of their own. */
const ALIKE_MS_MAX = 60_000;
/** Entries that are looked through for one that is alike. */
const ALIKE_ENTRIES_MAX = 10;

export class AclLog {
  #entries: AclLogEntry[] = [];
  #nextId = 0;

  get entries(): readonly AclLogEntry[] {
    return this.#entries;
  }

  /** Adds a denial at a moment (unix ms), and keeps at most `lengthMax` entries. */
  add(denial: AclDenial, nowMs: number, lengthMax: number): void {
    if (lengthMax > 0) this.#insert(denial, nowMs);
    if (this.#entries.length > lengthMax) this.#entries.length = lengthMax;
  }

  #insert(denial: AclDenial, nowMs: number): void {
    const index = this.#entries
      .slice(0, ALIKE_ENTRIES_MAX)
      .findIndex((entry) => areAlike(entry, denial, nowMs));
    const [alike] = index === -1 ? [] : this.#entries.splice(index, 1);
    if (alike !== undefined) {
      const { client } = denial;
      this.#entries.unshift({ ...alike, client, count: alike.count + 1, updatedMs: nowMs });
      return;
    }
    this.#entries.unshift({
      ...denial,
      id: this.#nextId,
      count: 1,
      createdMs: nowMs,
      updatedMs: nowMs,
    });
    this.#nextId += 1;
  }

  reset(): void {
    this.#entries = [];
  }
}

function areAlike(entry: AclLogEntry, denial: AclDenial, nowMs: number): boolean {
  return (
    entry.reason === denial.reason &&
    entry.context === denial.context &&
    Math.abs(entry.updatedMs - nowMs) <= ALIKE_MS_MAX &&
    entry.object === denial.object &&
    entry.user === denial.user
  );
}
