/** What a shard notes of its batches: how long they were, and that main was slow to read its replies. */

import { AT, SLOW_BATCH_US, Tally, type FlightRecorder, type Page } from '#diag';
import type { Frame } from './frame.ts';
import type { ReplySender } from './reply-sender.ts';

export class BatchNotes {
  readonly #page: Page;
  readonly #flight: FlightRecorder;
  readonly #fullRings: Tally;
  #command = -1;

  constructor(page: Page, flight: FlightRecorder) {
    this.#page = page;
    this.#flight = flight;
    this.#fullRings = new Tally((atUs, waits) => {
      flight.note('full-ring', atUs, [waits]);
    });
  }

  /** A batch has taken so long, and this was run last. Afterwards main may write where the frame was. */
  lasted(us: number, frame: Frame): void {
    if (us >= SLOW_BATCH_US) this.#command = frame.commandOrNone;
  }

  ended(nowUs: number, us: number, frames: number): void {
    const { values } = this.#page;
    values[AT.turns] = values[AT.turns]! + 1;
    values[AT.busyUs] = values[AT.busyUs]! + us;
    values[AT.heartbeatUs] = nowUs;
    this.#page.looped(us);
    if (us >= SLOW_BATCH_US) this.#flight.note('slow-batch', nowUs, [us, frames, this.#command]);
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
