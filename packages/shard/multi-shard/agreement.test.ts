/** Tests of what the logs of several shards agree on, when each of them has ended somewhere. */

import { type Random, withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { agree, type LogEnd, type TransactionNote } from './agreement.ts';

const agreement = suite('agreement of logs');

const NOW_MS = 1_000_000;

/** History of what shards log, one transaction after the other. */
class History {
  readonly logs: TransactionNote[][];
  #transactions = 0;

  constructor(shards: number) {
    this.logs = Array.from({ length: shards }, () => []);
  }

  /** A transaction that sees what those shards had logged, and is logged by them; returns its id. */
  run(shards: readonly number[], more: Partial<TransactionNote> = {}): number {
    const rests = shards.map((shard) => [shard, this.#count(shard)] as const);
    return this.#log(shards, { rests, ...more });
  }

  /** A command that shards do a share of without seeing each other. */
  share(shards: readonly number[]): number {
    return this.#log(shards, { rests: [] });
  }

  /** A group on all shards. */
  group(): number {
    return this.#log(
      this.logs.map((_, shard) => shard),
      { rests: [], needsAll: true },
    );
  }

  #count(shard: number): number {
    return this.logs[shard]!.filter(({ rests }) => rests.length > 0).length;
  }

  #log(shards: readonly number[], more: Partial<TransactionNote>): number {
    this.#transactions += 1;
    const id = this.#transactions;
    const mask = shards.reduce((sum, shard) => sum | (1 << shard), 0);
    for (const shard of shards) {
      const place = { segment: 1, before: this.#count(shard) };
      const what = { id, shards: mask, timeMs: NOW_MS, needsAll: false, rests: [] };
      this.logs[shard]!.push({ ...what, ...place, ...more });
    }
    return id;
  }

  /** The logs, each shortened to a number of its transactions. */
  cut(...counts: readonly number[]): LogEnd[] {
    return this.logs.map((log, shard) => {
      const notes = log.slice(0, counts[shard]);
      const transactions = notes.filter(({ rests }) => rests.length > 0).length;
      return { notes, forgotten: 0, segment: 1, transactions, timeMs: NOW_MS };
    });
  }
}

/** Returns the transactions that each shard has in the end. */
function outcome(ends: readonly LogEnd[]): Set<number>[] {
  const { stops, missing } = agree(ends);
  const all = ends.map(({ notes }, shard) => {
    const stop = notes.findIndex(({ id }) => id === stops[shard]);
    return new Set(notes.slice(0, stop < 0 ? notes.length : stop).map(({ id }) => id));
  });
  for (const given of missing.values()) {
    for (const [id, shards] of given) for (const shard of shards) all[shard]!.add(id);
  }
  return all;
}

const sets = (found: readonly Set<number>[]): number[][] =>
  found.map((each) => [...each].sort((a, b) => a - b));

agreement('logs that have everything are left as they are', () => {
  const history = new History(3);
  history.run([0, 1]);
  history.run([1, 2]);
  history.group();
  assert.equal(agree(history.cut()), {
    stops: [undefined, undefined, undefined],
    missing: new Map(),
  });
});

agreement('what one log has and another lacks is given', () => {
  const history = new History(3);
  const first = history.run([0, 1]);
  const second = history.share([1, 2]);
  const { stops, missing } = agree(history.cut(0, 2, 0));
  assert.equal(stops, [undefined, undefined, undefined]);
  assert.equal(
    missing,
    new Map([
      [
        1,
        new Map([
          [first, [0]],
          [second, [2]],
        ]),
      ],
    ]),
  );
});

agreement('a transaction that rests on one that is on no disk does not count', () => {
  const history = new History(3);
  history.run([0, 1]);
  const later = history.run([1, 2]);
  history.run([2]);
  assert.equal(agree(history.cut(0, 0, 2)), {
    stops: [undefined, undefined, later],
    missing: new Map(),
  });
});

agreement('what rests on one that does not count does not count either', () => {
  const history = new History(4);
  history.run([0, 1]);
  history.run([1, 2]);
  history.run([2, 3]);
  assert.equal(sets(outcome(history.cut(0, 0, 2, 1))), [[], [], [], []]);
});

agreement('a share rests on nothing: it is given, and stays', () => {
  const history = new History(3);
  history.run([0, 1]);
  const share = history.share([1, 2]);
  assert.equal(sets(outcome(history.cut(0, 0, 1))), [[], [share], [share]]);
});

agreement('a group that one log has not does not count in any, nor what follows it', () => {
  const history = new History(3);
  const before = history.run([0, 2]);
  history.group();
  history.run([0, 1]);
  assert.equal(sets(outcome(history.cut(3, 2, 1))), [[before], [], [before]]);
});

agreement('a later segment has all of the one before it', () => {
  const history = new History(2);
  history.run([0]);
  history.run([0, 1]);
  const [first, second] = history.cut() as [LogEnd, LogEnd];
  const onward = { ...first, notes: [], segment: 2, transactions: 0 };
  assert.equal(agree([onward, second]).stops, [undefined, undefined]);
  const behind = { ...first, notes: [], transactions: 0 };
  assert.equal(agree([behind, second]).stops, [undefined, 2]);
});

agreement('what a log notes no more it is taken to have', () => {
  const history = new History(3);
  const old = history.run([0, 1]);
  const group = history.group();
  const [first, second, third] = history.cut() as [LogEnd, LogEnd, LogEnd];
  const forgetful = { ...second, notes: [], forgotten: group };
  assert.equal(agree([first, forgetful, third]), {
    stops: [undefined, undefined, undefined],
    missing: new Map(),
  });
  assert.ok(old < group);
});

agreement('for a log that has failed long ago nothing is thrown away', () => {
  const history = new History(3);
  history.run([0, 1]);
  history.run([1, 2]);
  const [first, second, third] = history.cut(0, 0) as [LogEnd, LogEnd, LogEnd];
  const later = { ...third, timeMs: NOW_MS + 3_600_000 };
  assert.equal(agree([first, second, later]).stops, [undefined, undefined, undefined]);
});

/** Random transactions, and logs that end anywhere. */
function tryOnce(random: Random): void {
  const shards = random.integer(2, 5);
  const history = new History(shards);
  const all = Array.from({ length: shards }, (_, shard) => shard);
  for (let nth = 0; nth < 30; nth += 1) {
    const some = random.shuffled(all).slice(0, random.integer(2, shards));
    if (random.chance(0.1)) history.group();
    else if (random.chance(0.2)) history.share(some);
    else history.run(some);
  }
  const { logs } = history;
  const found = outcome(history.cut(...logs.map(({ length }) => random.integer(0, length))));
  const notes = new Map(logs.flat().map((note) => [note.id, note]));
  for (const [id, { shards: mask, rests, needsAll }] of notes) {
    const took = all.filter((shard) => (mask & (1 << shard)) !== 0);
    const having = took.filter((shard) => found[shard]!.has(id));
    assert.ok(having.length === 0 || having.length === took.length, `${id} is there by halves`);
    const seesOthers = rests.length > 0 || needsAll;
    for (const shard of seesOthers ? having : []) {
      const before = logs[shard]!.slice(
        0,
        logs[shard]!.findIndex((each) => each.id === id),
      );
      const lacking = before.find((each) => each.rests.length > 0 && !found[shard]!.has(each.id));
      assert.is(lacking?.id, undefined, `${id} has seen what is not there`);
    }
  }
}

agreement(
  'wherever logs end, transactions are there on all shards or on none, with all that they have seen',
  withRandom((random: Random) => {
    for (let nth = 0; nth < 300; nth += 1) tryOnce(random);
  }),
);

agreement.run();
