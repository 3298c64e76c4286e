/**
 * Long commands, whose input is prepared incrementally, between commands on other keys. A command declares its
 * preparation and is deferred, with its keys locked; when the result is ready, the command runs again, finds it and
 * replies. So copying a value of any size delays only commands on the same keys.
 */

import { errors, unreachable } from '#base';
import type { BlockedCommands } from '../blocked/blocked-commands.ts';
import type { ExecutionContext } from '../execution/context.ts';
import type { Executor } from '../execution/executor.ts';
import type { Frame } from '../frames/frame.ts';
import type { KeyLocks } from '../multi-shard/key-locks.ts';
import type { IncrementalWork } from './incremental-work.ts';

interface PreparedCommandsOptions {
  readonly context: ExecutionContext;
  readonly executor: Executor;
  readonly keyLocks: KeyLocks;
  readonly blockedCommands: BlockedCommands;
  readonly work: IncrementalWork;
  readonly nowUs: () => number;
}

export class PreparedCommands {
  readonly #options: PreparedCommandsOptions;
  /** Below zero, as no transaction of main's is: it holds a command's keys. */
  #lastHold = 0;

  constructor(options: PreparedCommandsOptions) {
    this.#options = options;
  }

  /** The command that was just run has said what it needs. */
  begin(ofFrame: Frame): void {
    const { context, executor, keyLocks, work } = this.#options;
    const steps = context.turn.takeSteps() ?? unreachable('who is put off says why');
    const frame = ofFrame.detached();
    this.#lastHold -= 1;
    const hold = this.#lastHold;
    keyLocks.hold(hold, executor.keys.namesOf(frame) ?? []);
    const release = (): void => {
      keyLocks.release(hold, () => {
        this.#options.blockedCommands.serve();
      });
    };
    work.later(
      steps,
      (made, spentUs) => {
        this.#run(frame, made, spentUs);
        release();
      },
      () => {
        executor.answerWait(frame, errors.outOfResources);
        release();
      },
    );
  }

  /** Runs the command, which has what it needs. */
  #run(frame: Frame, made: unknown, spentUs: number): void {
    const { context, executor, nowUs } = this.#options;
    executor.nowUs = nowUs();
    executor.readWallClock();
    // What the steps have taken is the command's time.
    executor.nowUs -= spentUs;
    context.turn.withPrepared(made, () => {
      executor.runCommand(frame, false);
    });
  }
}
