/** The current command as the executor manages it: its permissions, its results so far, and what it waits for. */

import { keyName, type Bytes, type Steps } from '#base';
import type { Wait } from '#commands';
import type { Effect } from '../log/effect-record.ts';
import type { CommandTime } from './command-time.ts';
import type { ItemMark } from './items.ts';
import { MODES, type Guests, type Mode } from './mode.ts';

export class CommandTurn {
  /** The clock of commands. */
  readonly time: CommandTime;
  mode: Mode = MODES.noWait;
  /** Undefined unless keys of other shards are here. */
  guests: Guests | undefined;
  /** Wait of the command, when it has found nothing. */
  wait: Wait | undefined;
  /** Steps that the command has to do first, and that take long. */
  steps: Steps<unknown> | undefined;
  /** Result of those steps, for the command that is run again. */
  prepared: unknown;
  /** Progress of the judgement of a command that is tried: how far it had come. */
  judgement = 0;
  /** Start offsets of the items of a command whose items main merges. */
  readonly items: ItemMark[] = [];
  isLogged = false;
  /** True when the command is replicated: its effects must not depend on the clock or on chance. */
  isReplicated = false;
  /** Commands to log and replicate instead of the current one, which would not have the same effect again. */
  readonly effects: Effect[] = [];

  constructor(time: CommandTime) {
    this.time = time;
  }

  /** Begins a command in a mode, which lasts until `leave`. The executor's alone. */
  enter(mode: Mode): void {
    this.mode = mode;
    if (!mode.isPartial) return;
    this.judgement = 0;
    this.items.length = 0;
  }

  leave(): void {
    this.mode = MODES.noWait;
  }

  /** Runs commands while keys of other shards are here. */
  withGuests(guests: Guests, run: () => void): void {
    this.guests = guests;
    try {
      run();
    } finally {
      this.guests = undefined;
    }
  }

  /** Runs a command with the result of its steps. */
  withPrepared(prepared: unknown, run: () => void): void {
    this.prepared = prepared;
    try {
      run();
    } finally {
      this.prepared = undefined;
    }
  }

  /** True while a key is here that is another shard's, and only read: it may have another value there. */
  get readsLent(): boolean {
    return this.guests?.readsLent === true;
  }

  /** True when the key is such a copy. */
  isCopy(database: number, key: Bytes): boolean {
    return this.guests?.copies().has(keyName(database, key)) === true;
  }

  /** True while keys of other shards are here. */
  get hasGuests(): boolean {
    return this.guests !== undefined;
  }

  /** True when the command is neither done nor refused. */
  get isPutOff(): boolean {
    return this.wait !== undefined || this.steps !== undefined;
  }

  /** Takes the wait of the command, which then waits no longer. */
  takeWait(): Wait | undefined {
    const { wait } = this;
    this.wait = undefined;
    return wait;
  }

  /** Takes the steps of the command, which are then somebody else's to do. */
  takeSteps(): Steps<unknown> | undefined {
    const { steps } = this;
    this.steps = undefined;
    return steps;
  }

  /** From here on changes are logged; ended by `stopLogging`. */
  startLogging(isReplicated: boolean): void {
    this.isLogged = true;
    this.isReplicated = isReplicated;
    this.forgetEffects();
  }

  stopLogging(): void {
    this.isLogged = false;
    this.isReplicated = false;
  }

  forgetEffects(): void {
    // Setting the length of an array is a call into V8's runtime, also where it is 0 already.
    if (this.effects.length > 0) this.effects.length = 0;
  }
}
