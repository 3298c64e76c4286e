/**
 * Commands that take long: what they need first is made in steps, between commands on other keys.
 *
 * A command says what that is and is put off, with its keys held; when it is made, the command is run again, finds
 * it ready and answers. So copying a value of any size keeps nobody waiting but those who want its keys.
 */

import { unreachable, type Steps } from '#base';
import type { Blocking } from './blocking.ts';
import type { ExecutionContext } from './context.ts';
import type { Executor } from './executor.ts';
import type { Frame } from './frame.ts';
import type { Holds } from './holds.ts';
import type { Upkeep } from './upkeep.ts';

/** Most microseconds of one slice: as much as a batch of commands takes. */
const SLICE_US = 500;

export interface PreparationsParts {
  readonly context: ExecutionContext;
  readonly executor: Executor;
  readonly holds: Holds;
  readonly blocking: Blocking;
  readonly upkeep: Upkeep;
  readonly nowUs: () => number;
}

interface Preparation {
  readonly frame: Frame;
  readonly steps: Steps<unknown>;
  /** Below zero, as no transaction of main's is: it holds the command's keys. */
  readonly hold: number;
  /** Microseconds that the steps have taken. */
  spentUs: number;
}

export class Preparations {
  readonly #parts: PreparationsParts;
  /** In the order in which they came; one is worked at at a time. */
  readonly #all: Preparation[] = [];
  #lastHold = 0;

  constructor(parts: PreparationsParts) {
    this.#parts = parts;
  }

  /** False nearly always. */
  get isActive(): boolean {
    return this.#all.length > 0;
  }

  /** The command that was just run has said what it needs. */
  begin(frame: Frame): void {
    const { context, executor, holds, upkeep } = this.#parts;
    const steps = context.preparing ?? unreachable('who is put off says why');
    context.preparing = undefined;
    this.#lastHold -= 1;
    const hold = this.#lastHold;
    holds.hold(hold, executor.keys.namesOf(frame) ?? []);
    this.#all.push({ frame: frame.detached(), steps, hold, spentUs: 0 });
    // A field that goes would change what is being read.
    upkeep.keepsFields = true;
  }

  /** Goes on for a while. */
  slice(): void {
    const { nowUs } = this.#parts;
    const current = this.#all[0];
    if (current === undefined) return;
    const startUs = nowUs();
    let step = current.steps.next();
    while (step.done !== true && nowUs() - startUs < SLICE_US) step = current.steps.next();
    current.spentUs += nowUs() - startUs;
    if (step.done === true) this.#finish(current, step.value);
  }

  /** Runs the command, which has what it needs. */
  #finish({ frame, hold, spentUs }: Preparation, made: unknown): void {
    const { context, executor, holds, blocking, upkeep, nowUs } = this.#parts;
    this.#all.shift();
    upkeep.keepsFields = this.isActive;
    executor.nowUs = nowUs();
    executor.readWallClock();
    // What the steps have taken is the command's time.
    executor.nowUs -= spentUs;
    context.prepared = made;
    executor.runCommand(frame, false);
    context.prepared = undefined;
    holds.release(hold, () => {
      blocking.serve();
    });
  }
}
