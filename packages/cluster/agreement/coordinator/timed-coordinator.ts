/** A coordinator whose calls are timed and counted by their kind. */

import type { Clock } from '#base';
import type { Coordinator, Guard, Outcome, Reading, WatchSink, Write } from './coordinator.ts';

/** Kinds of calls, as metrics name them. */
export type CoordinatorCall = 'read' | 'watch' | 'commit' | 'grant' | 'keep-alive';

/** Listener for completed calls. */
export interface CoordinatorTiming {
  answered(call: CoordinatorCall, us: number): void;
  /** Called for a call without a reply, or with an error; for a watch, when it has ended. */
  failed(call: CoordinatorCall): void;
}

export class TimedCoordinator implements Coordinator {
  readonly #coordinator: Coordinator;
  readonly #clock: Pick<Clock, 'nowUs'>;
  readonly #timing: CoordinatorTiming;

  constructor(coordinator: Coordinator, clock: Pick<Clock, 'nowUs'>, timing: CoordinatorTiming) {
    this.#coordinator = coordinator;
    this.#clock = clock;
    this.#timing = timing;
  }

  read(): Promise<Reading> {
    return this.#time('read', () => this.#coordinator.read());
  }

  watch(from: number, sink: WatchSink): () => void {
    return this.#coordinator.watch(from, {
      changed: (changes, revision) => {
        sink.changed(changes, revision);
      },
      resumed: () => {
        sink.resumed();
      },
      ended: (reason) => {
        this.#timing.failed('watch');
        sink.ended(reason);
      },
    });
  }

  commit(guards: readonly Guard[], writes: readonly Write[]): Promise<Outcome> {
    return this.#time('commit', () => this.#coordinator.commit(guards, writes));
  }

  grant(ttlMs: number): Promise<number> {
    return this.#time('grant', () => this.#coordinator.grant(ttlMs));
  }

  keepAlive(): Promise<number> {
    return this.#time('keep-alive', () => this.#coordinator.keepAlive());
  }

  revoke(): Promise<void> {
    return this.#coordinator.revoke();
  }

  close(): void {
    this.#coordinator.close();
  }

  async #time<T>(call: CoordinatorCall, run: () => Promise<T>): Promise<T> {
    const beganUs = this.#clock.nowUs();
    try {
      const answer = await run();
      this.#timing.answered(call, this.#clock.nowUs() - beganUs);
      return answer;
    } catch (error) {
      this.#timing.failed(call);
      throw error;
    }
  }
}
