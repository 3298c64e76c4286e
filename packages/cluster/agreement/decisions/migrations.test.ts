/** Moves of slots as transactions: what may begin, where its border is, and what ends it. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Entry } from '../coordinator/coordinator.ts';
import { Topology } from '../topology.ts';
import {
  beginImport,
  beginMove,
  beginMoves,
  failMove,
  finishMove,
  forgetMove,
  moveFault,
  spansOf,
  uncleanGroup,
} from './migrations.ts';
import type { Plan } from './plan.ts';
import { addSlots, deleteSlots, setSlot } from './slots.ts';

const moves = suite('moves of slots as transactions');

const ADDRESS = { host: 'h', port: 1, tlsPort: 0, hostname: '' };

/** Two groups, A with the primary `a` and its replica, and B with `b`; A has all slots. */
class Stage {
  readonly #documents = new Map<string, Entry>();
  #revision = 1;

  constructor() {
    for (const [id, primary, replicas] of [
      ['A', 'a', ['r']],
      ['B', 'b', []],
    ] as const) {
      this.put(`groups/${id}`, { primary, replicas, addresses: {}, hasMet: true, reason: '' });
    }
    for (const id of ['a', 'b']) this.register(id, `run of ${id}`);
    this.put('slots', { ranges: [[0, 16_383, 'A']], open: {} });
  }

  put(key: string, document: object): void {
    this.#write(key, JSON.stringify(document));
  }

  register(id: string, run: string): void {
    const place = { streamId: '', offset: 0, standsFor: -1, noFailover: false };
    this.put(`nodes/${id}`, { ...ADDRESS, ...place, version: '1', run });
  }

  #write(key: string, value: string | undefined): void {
    this.#revision += 1;
    if (value === undefined) this.#documents.delete(key);
    else this.#documents.set(key, { key, value, revision: this.#revision });
  }

  get topology(): Topology {
    return Topology.of([...this.#documents.values()], this.#revision);
  }

  /** Commits a plan where its guards hold. */
  commit(plan: Plan | undefined): boolean {
    if (plan === undefined) return false;
    const holds = plan.guards.every(
      ({ key, revision }) => (this.#documents.get(key)?.revision ?? 0) === revision,
    );
    if (holds) for (const { key, value } of plan.writes) this.#write(key, value);
    return holds;
  }

  begin(id: string, slots: readonly number[]): boolean {
    return this.commit(beginMove(this.topology, 'a', { id, slots, target: 'b' }));
  }
}

moves('a move gives its slots, and no others, in one transaction', () => {
  const stage = new Stage();
  assert.ok(stage.begin('m', [3, 1, 2, 9]));
  const begun = stage.topology.migrations.get('m');
  assert.equal(begun?.ranges, [
    [1, 3],
    [9, 9],
  ]);
  assert.is(stage.topology.owners[1], 'A');
  assert.is(uncleanGroup(begun!), 'B');
  assert.ok(stage.commit(finishMove(stage.topology, 'a', 'm')));
  const { owners, migrations } = stage.topology;
  assert.equal([owners[1], owners[3], owners[4], owners[9]], ['B', 'B', 'A', 'B']);
  assert.is(uncleanGroup(migrations.get('m')!), 'A');
  assert.is(failMove(stage.topology, 'm', 'too late'), undefined);
  assert.ok(stage.commit(forgetMove(stage.topology, 'm')));
  assert.is(stage.topology.migrations.size, 0);
});

moves('of an end and a flip that are decided at once only one is done', () => {
  const stage = new Stage();
  stage.begin('m', [1]);
  const { topology } = stage;
  const [flip, end] = [finishMove(topology, 'a', 'm'), failMove(topology, 'm', 'cancelled')];
  assert.ok(stage.commit(end));
  assert.not.ok(stage.commit(flip));
  assert.throws(() => finishMove(stage.topology, 'a', 'm'), /cancelled/);
  assert.is(stage.topology.owners[1], 'A');
});

moves('of two moves of a slot that begin at once only one does', () => {
  const stage = new Stage();
  const { topology } = stage;
  const plans = ['m', 'n'].map((id) => beginMove(topology, 'a', { id, slots: [1], target: 'b' }));
  assert.equal(
    plans.map((plan) => stage.commit(plan)),
    [true, false],
  );
  assert.throws(() => stage.begin('n', [1]), /being moved by migration m/);
});

moves('several moves begin in one transaction, or none does', () => {
  const stage = new Stage();
  const wish = (id: string, slot: number) => ({ id, slots: [slot], target: 'b' });
  const plan = beginMoves(stage.topology, 'a', [wish('m', 1), wish('n', 2)]);
  const keys = [...plan.guards, ...plan.writes].map(({ key }) => key);
  assert.is(new Set(keys.slice(0, plan.guards.length)).size, plan.guards.length);
  assert.is(new Set(keys.slice(plan.guards.length)).size, plan.writes.length);
  assert.ok(stage.commit(plan));
  assert.equal([...stage.topology.migrations.keys()].sort(), ['m', 'n']);
  assert.throws(
    () => beginMoves(stage.topology, 'a', [wish('o', 3), wish('p', 1)]),
    /being moved by migration m/,
  );
  const many = Array.from({ length: 51 }, (_, nth) => wish(`w${nth}`, 3));
  assert.throws(() => beginMoves(stage.topology, 'a', many), /At most 50 migrations/);
});

moves('the target begins a move like the source does', () => {
  const stage = new Stage();
  assert.ok(stage.commit(beginImport(stage.topology, 'b', { id: 'm', slots: [2, 1] })));
  const imported = stage.topology.migrations.get('m');
  stage.commit(failMove(stage.topology, 'm', 'cancelled'));
  stage.commit(forgetMove(stage.topology, 'm'));
  assert.ok(stage.begin('m', [1, 2]));
  assert.equal(imported, stage.topology.migrations.get('m'));
});

moves('an import is refused with the errors of Redis', () => {
  const refused = (slots: readonly number[], error: RegExp, self = 'b'): void => {
    assert.throws(() => beginImport(stage.topology, self, { id: 'n', slots }), error);
  };
  let stage = new Stage();
  refused([1], /^slot migration not allowed on replica\.$/, 'r');
  refused([1], /^this node is already the owner of the slot range$/, 'a');
  stage.put('slots', {
    ranges: [
      [0, 9, 'A'],
      [12, 20, 'B'],
    ],
    open: {},
  });
  refused([1, 10], /^slot has no owner: 10$/);
  refused([9, 12], /^slots belong to different source nodes$/);
  stage.put('slots', { ranges: [[0, 16_383, 'A']], open: { 77: { migratingTo: 'B' } } });
  refused([1], /^all slot states must be STABLE to start a slot migration task\.$/);
  stage = new Stage();
  stage.begin('m', [1, 2]);
  refused([0, 2, 3], /^overlapping import exists for slot range: 2-3$/);
  stage = new Stage();
  stage.put('groups/A', { primary: 'gone', replicas: [], addresses: {}, hasMet: true, reason: '' });
  refused([1], /^Node gone is down$/);
});

moves('of an import and a move of a slot that begin at once only one does', () => {
  const stage = new Stage();
  const { topology } = stage;
  const plans = [
    beginImport(topology, 'b', { id: 'm', slots: [1] }),
    beginMove(topology, 'a', { id: 'n', slots: [1], target: 'b' }),
  ];
  assert.equal(
    plans.map((plan) => stage.commit(plan)),
    [true, false],
  );
});

moves('a process that was started anew does not go on', () => {
  const stage = new Stage();
  stage.begin('m', [1]);
  const fault = (): string | undefined =>
    moveFault(stage.topology, stage.topology.migrations.get('m')!);
  assert.is(fault(), undefined);
  stage.register('b', 'another run');
  assert.match(fault() ?? '', /target was restarted/);
  assert.throws(() => finishMove(stage.topology, 'a', 'm'), /restarted/);
  stage.register('b', 'run of b');
  stage.register('a', 'another run');
  assert.match(fault() ?? '', /source was restarted/);
});

moves('slots on their way are changed by nothing else', () => {
  const stage = new Stage();
  stage.begin('m', [1]);
  assert.throws(() => deleteSlots(stage.topology, 'a', [1]), /being moved/);
  assert.throws(
    () => setSlot(stage.topology, 'a', 1, { kind: 'migrating', node: 'b' }),
    /being moved/,
  );
});

moves('keys that are still to be dropped are waited for', () => {
  const stage = new Stage();
  stage.begin('m', [1]);
  stage.commit(failMove(stage.topology, 'm', 'cancelled'));
  assert.throws(() => stage.begin('n', [1]), /still being dropped/);
  stage.commit(deleteSlots(stage.topology, 'a', [1]));
  assert.throws(() => addSlots(stage.topology, 'b', [1]), /still being dropped/);
  stage.commit(forgetMove(stage.topology, 'm'));
  assert.ok(addSlots(stage.topology, 'b', [1]));
});

moves('slots are told as spans in order', () => {
  assert.equal(spansOf([7, 1, 2, 3, 9, 8]), [
    [1, 3],
    [7, 9],
  ]);
});

moves.run();
