/** Notes of a shard about its batches: how long they were, and that main was slow to read its replies. */

import { AT, type FlightRecorder, type Page, SLOW_BATCH_US, Tally } from '#stats';
import type { Frame } from '../frames/frame.ts';
import type { ReplySender } from '../frames/reply-sender.ts';

export class BatchNotes {
  readonly #page: Page;
  readonly #flight: FlightRecorder;
  readonly #fullRings: Tally;

  constructor(page: Page, flight: FlightRecorder) {
    this.#page = page;
    this.#flight = flight;
    this.#fullRings = new Tally((atUs, waits) => {
      flight.note('full-ring', atUs, [waits]);
    });
  }

  /**
   * Records a batch that has run, with its last frame: a slow one ended the batch. Recorded before main may see the
   * replies, so that a client with the reply finds the event.
   */
  ran(nowUs: number, us: number, frames: number, last: Frame): void {
    if (us < SLOW_BATCH_US) return;
    this.#flight.note('slow-batch', nowUs, [us, frames, last.commandOrNone]);
  }

  /** Its replies are shown; in sync mode the wait for the disk is in its time. */
  ended(nowUs: number, us: number): void {
    const { values } = this.#page;
    values[AT.turns] = values[AT.turns]! + 1;
    values[AT.heartbeatUs] = nowUs;
    this.#page.looped(us);
  }

  /** Counts how often replies had to wait for room. */
  countWaits(nowUs: number, sender: ReplySender): void {
    const { waits } = sender;
    if (waits === 0) return;
    sender.waits = 0;
    this.#page.add('waitsForRoom', waits);
    this.#fullRings.add(nowUs, waits);
  }
}
