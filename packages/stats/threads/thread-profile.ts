/**
 * Self-diagnosis of a thread for debugging: a CPU profile, and statistics of its heap. The inspector replies
 * synchronously, so it also works in a thread whose event loop is blocked. Starting a profile stops the thread for
 * about 20 ms, ending one of 30 s for about 10 ms. A heap snapshot would stop it for about a second per 100 MB: so
 * there are only statistics.
 */

import { Session } from 'node:inspector';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { type Bytes, unreachable } from '#base';
import { shardCall } from '../calls/shard-calls.ts';

/** Between two samples. */
const SAMPLE_US = 1_000;

/** Figures of a thread's heap, in V8's names: bytes, and a few counts. */
interface HeapFigures {
  readonly figures: Readonly<Record<string, number>>;
  readonly spaces: readonly {
    readonly space: string;
    readonly figures: Readonly<Record<string, number>>;
  }[];
}

/** The JSON of a .cpuprofile file; null at the start, or when none was started; or the reason for the failure. */
interface ProfileAnswer {
  readonly profile: Bytes | null;
  readonly problem: string | null;
}

/** Begins a profile, or ends it and answers it. */
export const PROFILE = shardCall<'start' | 'stop', ProfileAnswer>('profile');

/** Returns the heap statistics of a shard. */
export const HEAP = shardCall<null, HeapFigures>('heap');

export class ThreadProfiler {
  #session: Session | undefined;

  /** Never throws: what the inspector refuses must not end a shard. */
  profile(question: 'start' | 'stop'): ProfileAnswer {
    try {
      if (question === 'stop') return { profile: this.#stop(), problem: null };
      this.#start();
      return { profile: null, problem: null };
    } catch (error) {
      return { profile: null, problem: (error as Error).message };
    }
  }

  #start(): void {
    if (this.#session !== undefined) return;
    const session = new Session();
    session.connect();
    this.#session = session;
    for (const method of ['Profiler.enable', 'Profiler.setSamplingInterval', 'Profiler.start']) {
      call(session, method, method.endsWith('Interval') ? { interval: SAMPLE_US } : {});
    }
  }

  #stop(): Bytes | null {
    const session = this.#session;
    if (session === undefined) return null;
    this.#session = undefined;
    try {
      const { profile } = call(session, 'Profiler.stop') as { profile: object };
      return Buffer.from(JSON.stringify(profile));
    } finally {
      call(session, 'Profiler.disable');
      session.disconnect();
    }
  }

  heap(): HeapFigures {
    return {
      figures: { ...getHeapStatistics() },
      spaces: getHeapSpaceStatistics().map(({ space_name: space, ...figures }) => ({
        space,
        figures,
      })),
    };
  }
}

/** Asks the inspector; its answer is there when `post` returns. */
function call(session: Session, method: string, parameters: object = {}): unknown {
  let problem: string | undefined;
  let answer: { readonly value: unknown } | undefined;
  session.post(method, parameters, (error, value) => {
    if (error === null) answer = { value };
    else problem = error.message;
  });
  if (problem !== undefined) throw new Error(`${method}: ${problem}`);
  return (answer ?? unreachable('the inspector answers its own thread at once')).value;
}
