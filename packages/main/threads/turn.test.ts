import { setImmediate } from 'node:timers/promises';
import { until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LibuvLoop, type TurnConnection } from '#net';
import { Turn } from './turn.ts';

const turning = suite('turn');

/** Enough sockets that some may be deferred, and too few for that. */
const MANY = 20;
const FEW = 5;

class FakeConnection implements TurnConnection {
  readonly label = 0;
  isPutOff = false;
  isOwedReplies: boolean;
  flushes = 0;
  resumes = 0;

  constructor(isOwedReplies: boolean) {
    this.isOwedReplies = isOwedReplies;
  }

  flush(): void {
    this.flushes += 1;
  }

  resume(): void {
    this.resumes += 1;
  }
}

/** A turn whose router has work for `rounds` more rounds. */
function newTurn() {
  const work = { rounds: 0 };
  const nothing = (): void => undefined;
  const router = {
    publish: nothing,
    drain: nothing,
    readClock: nothing,
    readMonotonic: nothing,
    tracing: { flush: nothing },
    get hasWork(): boolean {
      work.rounds -= 1;
      return work.rounds >= 0;
    },
  };
  const doorbell = { setAsleep: nothing, setAwake: nothing };
  const bell = { listen: nothing, stop: nothing };
  const modules = { endTurn: nothing, hasWork: false, worked: nothing };
  const loop = new LibuvLoop(bell);
  const newRouter = () => router;
  const turn = new Turn({ doorbell, modules, loop, fronts: undefined, newRouter });
  return { turn, work };
}

/** Lets the turn at hand end. */
async function ended(): Promise<void> {
  await setImmediate();
}

/** Connections that are owed replies, and one that is not, all with something to write. */
function touched(
  turn: Pick<ReturnType<typeof newTurn>['turn'], 'dirty'>,
  owed: number,
): FakeConnection[] {
  const connections = [...new Array<boolean>(owed).fill(true), false];
  return connections.map((isOwedReplies) => {
    const connection = new FakeConnection(isOwedReplies);
    turn.dirty(connection);
    return connection;
  });
}

/** Counts the flushes of all connections together; none is flushed twice. */
function flushesOf(connections: readonly FakeConnection[]): number {
  assert.ok(connections.every(({ flushes }) => flushes <= 1));
  return connections.filter(({ flushes }) => flushes === 1).length;
}

turning('writes every socket at the end when there are few', async () => {
  const { turn } = newTurn();
  const connections = touched(turn, FEW);
  assert.is(flushesOf(connections), 0);
  await ended();
  assert.is(flushesOf(connections), FEW + 1);
});

turning('leaves sockets that are owed replies for the next turn when there are many', async () => {
  const { turn } = newTurn();
  const connections = touched(turn, MANY);
  await ended();
  assert.is(flushesOf(connections), 1);
  turn.begin();
  await ended();
  assert.is(flushesOf(connections), MANY + 1);
  assert.ok(connections.every(({ isPutOff }) => !isPutOff));
});

turning('writes them in the same turn as soon as they are owed nothing', async () => {
  const { turn, work } = newTurn();
  const connections = touched(turn, MANY);
  work.rounds = 2;
  const [first] = connections;
  Object.defineProperty(first!, 'isOwedReplies', { get: () => work.rounds > 1 });
  await ended();
  assert.is(flushesOf(connections), 2);
});

turning('lets them wait shortly when no turn follows', async () => {
  const { turn } = newTurn();
  const connections = touched(turn, MANY);
  await ended();
  await until(() => flushesOf(connections) === MANY + 1, 'they are written');
});

turning('puts a socket off once only', async () => {
  const { turn } = newTurn();
  const connections = touched(turn, MANY);
  await ended();
  const others = touched(turn, MANY);
  await ended();
  assert.is(flushesOf(connections), MANY + 1);
  assert.is(flushesOf(others), 1);
  await until(() => flushesOf(others) === MANY + 1, 'the others are written');
});

turning.run();
