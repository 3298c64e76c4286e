/** History of links: each change of state, of the server's role too, with when and why; the latest are kept. */

/** Changes kept. */
const CHANGES_MAX = 256;

export interface LinkChange {
  /** Unix milliseconds. */
  readonly timeMs: number;
  /** Link to the primary, link to a replica, or the server itself, whose states are its roles. */
  readonly link: 'primary' | 'replica' | 'server';
  /** Address of the other end; empty for the server itself. */
  readonly peer: string;
  /** Number of the connection, as CLIENT LIST has it; undefined where it has none. */
  readonly client?: number | undefined;
  readonly state: string;
  readonly reason: string;
}

export class LinkHistory {
  readonly #changed: (change: LinkChange) => void;
  #changes: LinkChange[] = [];

  /** Calls back for each change. */
  constructor(changed: (change: LinkChange) => void = () => undefined) {
    this.#changed = changed;
  }

  note(change: LinkChange): void {
    this.#changes.push(change);
    if (this.#changes.length > 2 * CHANGES_MAX) this.#changes = this.latest;
    this.#changed(change);
  }

  /** The latest changes, oldest first. */
  get latest(): LinkChange[] {
    return this.#changes.slice(-CHANGES_MAX);
  }
}
