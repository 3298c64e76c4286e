import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Random, withRandom } from '#testkit';
import { FeedMerger, type FeedCommands } from './feed-merger.ts';

const merging = suite('merging feeds at random');

const SHARDS = 4;
const STEPS = 300;
const ROUNDS = 200;

/** Something that the shards are to do, in an order that all agree on, but for shares. */
interface Task {
  readonly id: number;
  readonly kind: 'own' | 'share' | 'hosted' | 'whole' | 'cut';
  readonly shards: readonly number[];
}

const ALL = Array.from({ length: SHARDS }, (_, shard) => shard);

function newTask(random: Random, id: number): Task {
  const kind = random.weighted([
    [50, 'own'],
    [25, 'share'],
    [15, 'hosted'],
    [7, 'whole'],
    [3, 'cut'],
  ] as const);
  if (kind === 'own') return { id, kind, shards: [random.pick(ALL)] };
  if (kind === 'whole' || kind === 'cut') return { id, kind, shards: ALL };
  return { id, kind, shards: random.shuffled(ALL).slice(0, random.integer(2, SHARDS)) };
}

/** Each shard's tasks: shares and its own may be turned about, where nothing else stands between. */
function orders(random: Random, tasks: readonly Task[]): Task[][] {
  return Array.from({ length: SHARDS }, (_, shard) => {
    const order = tasks.filter(
      ({ kind, shards }) => shards.includes(shard) && (kind !== 'hosted' || shards[0] === shard),
    );
    for (let nth = 1; nth < order.length; nth += 1) {
      const [before, here] = [order[nth - 1]!, order[nth]!];
      const mayTurn = [before, here].every(({ kind }) => kind === 'own' || kind === 'share');
      if (mayTurn && random.chance(0.4)) [order[nth - 1], order[nth]] = [here, before];
    }
    return order;
  });
}

const textOf = (id: number, shard: number): string => `${id}@${shard}`;

function commandsOf(id: number, shards: readonly number[]): FeedCommands[] {
  return shards.map((shard) => ({
    database: 0,
    pieces: [Buffer.from(textOf(id, shard))],
    count: 1,
  }));
}

/** True for what concerns all keys: it waits for keys that are lent, and what is lent later waits for it. */
const concernsAll = ({ kind }: Task): boolean => kind === 'whole' || kind === 'cut';

/** True when a shard cannot come to its next task yet, for the sake of keys that are lent. */
function mustWait(
  task: Task,
  shard: number,
  left: readonly Task[][],
  tasks: readonly Task[],
): boolean {
  if (task.kind === 'hosted') {
    const before = (each: Task): boolean => concernsAll(each) && each.id < task.id;
    return task.shards.some((lender) => left[lender]!.some(before));
  }
  if (!concernsAll(task)) return false;
  return tasks.some(
    (each) =>
      each.id < task.id &&
      each.kind === 'hosted' &&
      each.shards.includes(shard) &&
      left[each.shards[0]!]!.includes(each),
  );
}

/** Notifies the merger that a shard has reached a task. */
function report(merger: FeedMerger, { id, kind, shards }: Task, shard: number): void {
  const own = commandsOf(id, [shard]);
  if (kind === 'own') merger.own(shard, own, false);
  else if (kind === 'share') merger.part(shard, id, shards.length, own);
  else if (kind === 'hosted') merger.hosted(shards, commandsOf(id, shards));
  else if (kind === 'cut') merger.whole(shard, `c${id}`, SHARDS, { commands: [], cut: id });
  else merger.whole(shard, `w${id}`, SHARDS, { commands: commandsOf(id, shards) });
}

function play(random: Random): void {
  const tasks = Array.from({ length: STEPS }, (_, id) => newTask(random, id));
  const units: string[][] = [];
  const merger = new FeedMerger(SHARDS, {
    unit: (commands) => {
      units.push(commands.map(({ pieces }) => Buffer.concat(pieces).toString()));
    },
    cut: (number) => {
      units.push([`cut ${number}`]);
    },
  });
  /** Commands of each shard, or with its keys, in the order in which they came. */
  const arrived: string[][] = Array.from({ length: SHARDS }, () => []);
  const left = orders(random, tasks);
  while (left.some(({ length }) => length > 0)) {
    const shard = random.pick(ALL);
    const [task] = left[shard]!;
    if (task === undefined || mustWait(task, shard, left, tasks)) continue;
    left[shard]!.shift();
    const { id, kind, shards } = task;
    for (const each of kind === 'hosted' ? shards : [shard]) {
      arrived[each]!.push(kind === 'cut' ? `cut ${id}` : textOf(id, each));
    }
    report(merger, task, shard);
  }
  assert.ok(merger.isEmpty, 'nothing waits at the end');
  const merged = units.flat();
  for (let shard = 0; shard < SHARDS; shard += 1) {
    const ofShard = merged.filter((text) => text.endsWith(`@${shard}`) || text.startsWith('cut'));
    assert.equal(ofShard, arrived[shard], `shard ${shard} is in its order`);
  }
  for (const { id, kind, shards } of tasks) {
    if (kind === 'cut') continue;
    const within = units.filter((unit) => shards.some((shard) => unit.includes(textOf(id, shard))));
    assert.is(within.length, 1, `${kind} ${id} is in one unit`);
  }
}

merging(
  'keeps the order of each shard, and what belongs together',
  withRandom((random) => {
    for (let round = 0; round < ROUNDS; round += 1) play(random);
  }),
);

merging.run();
