/**
 * Timestamps in the stream, between servers of this kind: `REPLCONF GETACK <unix ms>`, which a replica acknowledges
 * once it has applied everything before it. So the lag is measured in milliseconds by the clock of one machine. A Redis
 * beside such a replica treats it as any GETACK. Stamps follow commands of the same turn, and occur nowhere else: an
 * idle stream does not grow, so a replica that is up to date stays equal to its primary.
 */

/** Stream that stamps are put into, and the replicas that follow it. */
interface StampedStream {
  readonly offset: number;
  readonly replicas: Iterable<{
    readonly announced: { readonly hasStamps: boolean };
    readonly isStreaming: boolean;
  }>;
  append(words: readonly string[]): void;
}

/** Capability by which a replica announces support of timestamps; Redis ignores unknown ones. */
export const STAMP_CAPABILITY = 'svc-stamps';

/** Least time between two stamps. */
const STAMP_MS = 100;
/** Acknowledgements come by themselves every second: who has not sent one for longer is behind as long as that. */
const ACK_MS_MAX = 2_000;
/** Stamps that no replica has answered: some minutes of them. */
const STAMPS_MAX = 2_048;

interface Stamp {
  /** Offset before the stamp: of all that an answer acknowledges. */
  readonly offset: number;
  /** Time at which the stream had come there, by this server's clock. */
  readonly ms: number;
}

/** Lag of one replica, computed from its replies to stamps. */
export interface StampLag {
  /** Offset of the last stamp that it has answered, and how long that took; -1 before the first. */
  stampOffset: number;
  delayMs: number;
}

export class Stamps {
  /** True when commands were put into the stream since it was looked at last. */
  hasChanged = false;
  #stamps: Stamp[] = [];
  #lastMs = 0;

  /** True when it is time for another. */
  isDue(nowMs: number): boolean {
    // A clock that was set back does not stop them.
    return nowMs - this.#lastMs >= STAMP_MS || nowMs < this.#lastMs;
  }

  /** Appends a timestamp after this turn's commands in the stream, if a replica supports timestamps and one is due. */
  put(stream: StampedStream, nowMs: number): void {
    if (!this.hasChanged) return;
    this.hasChanged = false;
    if (!this.isDue(nowMs) || !isAnyStamped(stream)) return;
    // An acknowledgement of the offset before it is sufficient: Redis does not count the GETACK itself.
    const { offset } = stream;
    stream.append(['REPLCONF', 'GETACK', String(Math.floor(nowMs))]);
    this.note(offset, nowMs);
  }

  /** Records a timestamp at an offset of the stream. */
  note(offset: number, nowMs: number): void {
    this.#lastMs = nowMs;
    const last = this.#stamps.at(-1);
    // The stream has restarted, or a link repeats earlier parts.
    if (last !== undefined && last.offset >= offset) this.clear();
    this.#stamps.push({ offset, ms: nowMs });
    if (this.#stamps.length > 2 * STAMPS_MAX) this.#stamps = this.#stamps.slice(STAMPS_MAX);
  }

  /** A replica has acknowledged an offset. */
  acknowledged(lag: StampLag, offset: number, nowMs: number): void {
    const answered = this.#stamps[this.#firstBehind(offset) - 1];
    if (answered === undefined || answered.offset <= lag.stampOffset) return;
    lag.stampOffset = answered.offset;
    lag.delayMs = Math.max(0, nowMs - answered.ms);
  }

  /**
   * Lag in milliseconds of a replica that has not acknowledged everything; `unackedMs` is the time for which it has
   * been behind, according to its acknowledgements.
   */
  lagMs(lag: StampLag, offset: number, unackedMs: number, nowMs: number): number {
    const waiting = this.#stamps[this.#firstBehind(offset)];
    const waitingMs = waiting === undefined ? 0 : nowMs - waiting.ms;
    const silentMs = unackedMs > ACK_MS_MAX ? unackedMs : 0;
    return Math.max(0, Math.min(lag.delayMs, unackedMs), waitingMs, silentMs);
  }

  clear(): void {
    this.#stamps = [];
  }

  /** Index of the first stamp that an acknowledgement of an offset has not answered. */
  #firstBehind(offset: number): number {
    let low = 0;
    let high = this.#stamps.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#stamps[middle]!.offset > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function isAnyStamped({ replicas }: StampedStream): boolean {
  for (const { announced, isStreaming } of replicas) {
    if (announced.hasStamps && isStreaming) return true;
  }
  return false;
}
