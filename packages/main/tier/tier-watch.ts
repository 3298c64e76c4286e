/** Logs when the disk of the warm tier fails, when it recovers, and values that could not be read. */

import type { Logger } from '#base';
import { TIER_FAULT_TEXTS, TIER_FAULTS } from '#stats';
import { TierFault, type TierFigures } from '#tier';

/** Between two looks. */
const LOOK_MS = 1_000;

interface Seen {
  fault: number;
  unread: number;
}

export class TierWatch {
  readonly #figures: readonly TierFigures[];
  readonly #log: Logger;
  readonly #seen: readonly Seen[];
  #timer: NodeJS.Timeout | undefined;

  constructor(figures: readonly TierFigures[], log: Logger) {
    this.#figures = figures;
    this.#log = log;
    this.#seen = figures.map(() => ({ fault: TierFault.none, unread: 0 }));
  }

  begin(): void {
    this.#timer = setInterval(() => {
      this.look();
    }, LOOK_MS);
    this.#timer.unref();
  }

  end(): void {
    clearInterval(this.#timer);
  }

  look(): void {
    for (const [shard, figures] of this.#figures.entries()) {
      const seen = this.#seen[shard]!;
      this.#lookAtFault(shard, seen, figures.get('fault'));
      this.#lookAtReads(shard, seen, figures.get('unread'));
    }
  }

  #lookAtFault(shard: number, seen: Seen, fault: number): void {
    if (fault === seen.fault) return;
    seen.fault = fault;
    // The end of a thread is reported elsewhere.
    if (fault === TierFault.dead) return;
    const word = TIER_FAULTS[fault] ?? 'none';
    const text = TIER_FAULT_TEXTS[word];
    if (text === undefined) {
      const message = `Warm tier of shard ${shard} writable again`;
      this.#log.info('tier-fault-ended', message, { shard });
    } else {
      this.#log.error('tier-fault', `Shard ${shard}: ${text}`, { shard, fault: word });
    }
  }

  #lookAtReads(shard: number, seen: Seen, unread: number): void {
    const count = unread - seen.unread;
    seen.unread = unread;
    if (count <= 0) return;
    const message = `${count} values of the warm tier of shard ${shard} could not be read: their commands failed, the keys stay`;
    this.#log.error('tier-unread', message, { shard, count });
  }
}
