/** A traced request, from its acceptance to its reply, and the traced requests of a client in flight. */

import type { Clock } from '#base';
import { errorIndex } from '#stats';
import { RecordAt, RecordFlag, TraceDraft } from '#link';

const ID_BYTES = 24;

/** Reused for another request after this one was sent to the ops thread. */
export class Trace {
  sequence = 0;
  /** A request that is not sampled is kept if it takes at least this many microseconds. */
  keepSlowUs = Infinity;
  /** A request that is not sampled is kept if it fails. */
  keepsFailed = false;
  readonly draft = new TraceDraft();

  get isSampled(): boolean {
    return (this.draft.doubles[RecordAt.flags]! & RecordFlag.sampled) !== 0;
  }

  /** True for an answered request that is kept although it is not sampled: it was slow, or has failed. */
  get isNotable(): boolean {
    const { doubles } = this.draft;
    const us = doubles[RecordAt.endUs]! - doubles[RecordAt.startUs]!;
    return us >= this.keepSlowUs || (this.keepsFailed && doubles[RecordAt.error]! >= 0);
  }

  /** 16 bytes of the trace, 8 of the request's span. */
  get ids(): Uint8Array {
    const { buffer, byteOffset } = this.draft.ids;
    return new Uint8Array(buffer, byteOffset, ID_BYTES);
  }

  /** Main itself has executed the command; `errorText` is null unless it answered an error. */
  ran(executeUs: number, errorText: string | null): void {
    this.draft.doubles[RecordAt.mainUs] = executeUs;
    this.failed(errorText);
  }

  failed(errorText: string | null): void {
    if (errorText !== null) this.draft.doubles[RecordAt.error] = errorIndex(errorText);
  }

  /** The parts of several shards were put together. */
  gathered(errorText: string | null): void {
    const { doubles } = this.draft;
    doubles[RecordAt.flags]! |= RecordFlag.gathered;
    this.failed(errorText);
  }
}

/** Traces of one client that are not answered yet, in the order of their sequences. */
export class OpenTraces {
  /** Trace of the command taken last, if that is traced; the command may yet have to be sent again. */
  current: Trace | undefined;
  #open: Trace[] = [];
  /** Index in `#open` before which all traces are answered. */
  #first = 0;
  readonly #ended: Trace[];
  readonly #clock: Pick<Clock, 'nowUs'>;

  /** Traces that are answered go to `ended`. */
  constructor(ended: Trace[], clock: Pick<Clock, 'nowUs'>) {
    this.#ended = ended;
    this.#clock = clock;
  }

  /** Returns the trace of the command taken last, if that has the sequence and is traced. */
  currentAt(sequence: number): Trace | undefined {
    return this.current?.sequence === sequence ? this.current : undefined;
  }

  add(trace: Trace): void {
    this.#open.push(trace);
  }

  /** Takes back the one that was added last. */
  takeBack(trace: Trace): void {
    if (this.#open.length > this.#first && this.#open.at(-1) === trace) this.#open.pop();
  }

  at(sequence: number): Trace | undefined {
    let low = this.#first;
    let high = this.#open.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const trace = this.#open[middle]!;
      // Sequences wrap, but those that are open lie close together.
      const ahead = (sequence - trace.sequence) | 0;
      if (ahead === 0) return trace;
      if (ahead < 0) high = middle;
      else low = middle + 1;
    }
    return undefined;
  }

  /** All commands before this sequence have their replies: each ends now, however long the rest of its pipeline takes. */
  answered(dueSequence: number): void {
    const open = this.#open;
    let nowUs: number | undefined;
    while (this.#first < open.length) {
      const trace = open[this.#first]!;
      if (((dueSequence - trace.sequence) | 0) <= 0) return;
      nowUs ??= this.#clock.nowUs();
      trace.draft.doubles[RecordAt.endUs] = nowUs;
      this.#first += 1;
      this.#ended.push(trace);
    }
    open.length = 0;
    this.#first = 0;
  }
}

/** Shared by all clients of which no command was traced; it is never changed. */
export const NO_TRACES: OpenTraces = new OpenTraces([], { nowUs: () => 0 });
