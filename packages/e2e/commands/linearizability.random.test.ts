/**
 * Recorded histories of concurrent clients on a few keys of several shards must be explained by some
 * order of the operations, each taking effect at one moment while it was under way.
 */
// test-again: TEST_SPILLS=1
import {
  type ChildServer,
  keyPerShard,
  linearize,
  type Operation,
  type Random,
  type Reply,
  type RespClient,
  startServer,
  withRandom,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const linearizability = suite('linearizability');

const SHARDS = 3;
const CLIENTS = 8;
const OPERATIONS_PER_CLIENT = 25;
const HISTORIES = 12;
/** Operations a client sends at once, so that several of it are under way. */
const PIPELINE_MAX = 3;

let server: ChildServer;

linearizability.before(async () => {
  server = await startServer({ shards: SHARDS });
});
linearizability.after(async () => {
  await server.stop();
});

/** The values of the keys, in their order. */
type State = readonly (string | null)[];

interface Plan {
  readonly words: readonly string[];
  /** The reply in that state, as text, and the state after it. */
  run(state: State): readonly [reply: string, after: State];
}

const shown = (reply: Reply | State): string => JSON.stringify(reply);

class Planner {
  readonly #random: Random;
  readonly #keys: readonly string[];
  #lastValue = 0;

  constructor(random: Random, keys: readonly string[]) {
    this.#random = random;
    this.#keys = keys;
  }

  next(): Plan {
    const at = this.#random.integer(0, this.#keys.length - 1);
    const key = this.#keys[at]!;
    const makers = [
      () => this.#get(key, at),
      () => this.#set(key, at),
      () => this.#increment(key, at),
      () => this.#getAll(),
      () => this.#setAll(),
      () => this.#rename(at, (at + 1) % this.#keys.length),
    ];
    return this.#random.pick(makers)();
  }

  #value(): string {
    this.#lastValue += 100;
    return String(this.#lastValue);
  }

  #get(key: string, at: number): Plan {
    return { words: ['GET', key], run: (state) => [shown(state[at]!), state] };
  }

  #set(key: string, at: number): Plan {
    const value = this.#value();
    const run = (state: State) => [shown('OK'), state.with(at, value)] as const;
    return { words: ['SET', key, value], run };
  }

  #increment(key: string, at: number): Plan {
    return {
      words: ['INCR', key],
      run: (state) => {
        const value = Number(state[at] ?? 0) + 1;
        return [shown(value), state.with(at, String(value))];
      },
    };
  }

  #getAll(): Plan {
    return { words: ['MGET', ...this.#keys], run: (state) => [shown(state), state] };
  }

  #setAll(): Plan {
    const values = this.#keys.map(() => this.#value());
    const words = ['MSET', ...this.#keys.flatMap((key, nth) => [key, values[nth]!])];
    return { words, run: () => [shown('OK'), values] };
  }

  #rename(from: number, to: number): Plan {
    return {
      words: ['RENAMENX', this.#keys[from]!, this.#keys[to]!],
      run: (state) => {
        const value = state[from] ?? null;
        if (value === null) return [shown('ERR no such key'), state];
        if (state[to] !== null) return [shown(0), state];
        return [shown(1), state.with(from, null).with(to, value)];
      },
    };
  }
}

let moments = 0;

/** Runs plans on one connection and records what was seen of them. */
async function record(client: RespClient, plans: Plan[]): Promise<Operation<State>[]> {
  const seen: Operation<State>[] = [];
  while (plans.length > 0) {
    const batch = plans.splice(0, 1 + (moments % PIPELINE_MAX));
    const calledAt = ++moments;
    const replies = batch.map(({ words }) => client.reply(...words));
    for (const [nth, plan] of batch.entries()) {
      const reply = (await replies[nth])!;
      const answer = shown(reply instanceof Error ? reply.message : reply);
      seen.push({
        text: `${plan.words.join(' ')} -> ${answer}`,
        calledAt,
        returnedAt: ++moments,
        apply: (state) => {
          const [expected, after] = plan.run(state);
          return expected === answer ? after : undefined;
        },
      });
    }
  }
  return seen;
}

linearizability(
  'every history could have happened one at a time',
  withRandom(async (random) => {
    const clients = await Promise.all(Array.from({ length: CLIENTS }, () => server.client()));
    for (let history = 0; history < HISTORIES; history += 1) {
      const keys = keyPerShard(SHARDS, `history${history}`);
      const planner = new Planner(random, keys);
      const recorded = await Promise.all(
        clients.map((client) =>
          record(
            client,
            Array.from({ length: OPERATIONS_PER_CLIENT }, () => planner.next()),
          ),
        ),
      );
      const empty = keys.map(() => null);
      const { isLinearizable, longest } = linearize(recorded, empty, shown);
      assert.ok(isLinearizable, `history ${history} ends after\n${longest.slice(-10).join('\n')}`);
    }
  }),
);

linearizability.run();
