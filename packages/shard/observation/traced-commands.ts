/** Times of the commands that main traces: taken while they run, and sent ahead of their replies. */

import type { Clock } from '#base';
import type { CommandEntry } from '#commands';
import { errorIndex } from '#stats';
import { FrameKind, Request, RequestFlag, TracedPart, TraceTimes } from '#link';
import type { Frame } from '../frames/frame.ts';
import type { ReplySender } from '../frames/reply-sender.ts';

export function isTraced({ words, word }: Frame): boolean {
  return (words[word + Request.kind]! & RequestFlag.traced) !== 0;
}

/** Outcome of a command that was traced. */
interface TracedEnd {
  readonly startUs: number;
  readonly endUs: number;
  /** Negative: it had waited for its keys. */
  readonly queueUs: number;
  /** Error that the command answered; null when it answered none. */
  readonly errorText: string | null;
}

interface TracedOptions {
  readonly sender: ReplySender;
  readonly clock: Clock;
  /** Returns the number of keys evicted so far. */
  readonly evicted: () => number;
  /** Evicts what must go before a command that needs memory. */
  readonly makeRoomFor: (entry: CommandEntry) => void;
  /** True when replies will wait for what was logged. */
  readonly waitsForDisk: () => boolean;
}

export class TracedCommands {
  readonly #options: TracedOptions;
  readonly #times = new TraceTimes();
  #command = 0;
  #sinceUs = 0;

  constructor(options: TracedOptions) {
    this.#options = options;
  }

  /** Makes room for a command, where it may, and notes what had to go. */
  makeRoomFor(entry: CommandEntry, mayEvict: boolean): void {
    if (!mayEvict) return;
    const { clock, evicted, makeRoomFor } = this.#options;
    const before = evicted();
    const startUs = clock.nowUs();
    makeRoomFor(entry);
    const detail = evicted() - before;
    if (detail === 0) return;
    this.#times.add(TracedPart.evict, detail, startUs, clock.nowUs());
  }

  /** A command's handler is about to run. */
  begin(command: number): void {
    this.#command = command;
    this.#sinceUs = this.#options.clock.nowUs();
  }

  /** It has run. */
  end(endUs: number): void {
    this.#times.add(TracedPart.store, this.#command, this.#sinceUs, endUs);
  }

  /** Records that the command waited for `values` values of the warm tier. */
  fetched(values: number, sinceUs: number, endUs: number): void {
    this.#times.add(TracedPart.fetch, values, sinceUs, endUs);
  }

  /** Notes a command that a script has called. */
  called(command: number, sinceUs: number): void {
    this.#times.add(TracedPart.call, command, sinceUs, this.#options.clock.nowUs());
  }

  /** Notes that what the command has done was put into the log. */
  logged(bytes: number, sinceUs: number, endUs: number): void {
    this.#times.add(TracedPart.logWrite, bytes, sinceUs, endUs);
  }

  /** The command is not answered now. */
  forget(): void {
    this.#times.clear();
  }

  /** Sends the times to main, ahead of the current reply. */
  send({ words, word }: Frame, { startUs, endUs, queueUs, errorText }: TracedEnd): void {
    const slot = words[word + Request.connection]!;
    const sequence = words[word + Request.sequence]! >>> 0;
    const error = errorText === null ? -1 : errorIndex(errorText);
    // The end of the wait is written in when it is over.
    if (this.#options.waitsForDisk()) this.#times.add(TracedPart.logSync, 0, endUs, endUs);
    const body = this.#times.take(slot, sequence, { queueUs, startUs, endUs, error });
    this.#options.sender.sendAhead(FrameKind.times, body);
  }
}
