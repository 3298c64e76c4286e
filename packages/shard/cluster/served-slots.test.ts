/** Keys that a script uses on a node of a cluster: whose they are, and whether one slot has all of them. */

import { type CommandError, errors, keySlot } from '#base';
import { Arguments, commandTable } from '#commands';
import { pointedAt } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ServedSlots } from './served-slots.ts';

const served = suite('served slots');

const slotOf = (key: string): number => keySlot(Buffer.from(key), 0, key.length);
const A = slotOf('a');
const B = slotOf('b');
const ALL = [[0, 16_383]] as const;
const NOTHING = { own: [], replicated: [], unbound: [], refused: 'nothing' } as const;

function stage(declaredSlot = -1, mayCrossSlots = false) {
  let motion: CommandError | undefined;
  const slots = new ServedSlots({ refusalOf: () => motion }, { primary: 9 });
  const script = { slot: declaredSlot, declaredSlot, mayCrossSlots, connection: 1 };
  const place = { keyspace: undefined as never, connection: 1, isOwn: () => true };
  const judge = (line: string): string | undefined => {
    const entry = commandTable.byName(line.split(' ')[0]!)!;
    return slots.refusalOf(entry, pointedAt(new Arguments(), line), script, place);
  };
  const moves = (error: CommandError): void => {
    motion = error;
  };
  return { slots, script, judge, moves };
}

const LOCAL = 'Script attempted to access a non local key in a cluster node';
const CROSSING = 'Script attempted to access keys that do not hash to the same slot';

served('one slot for all keys, unless the script may cross slots', () => {
  const { slots, judge } = stage();
  slots.update({ ...NOTHING, own: ALL });
  assert.is(judge('GET a'), undefined);
  assert.is(judge('SET {a}2 x'), undefined);
  assert.is(judge('GET b'), CROSSING);
  assert.is(judge('PING'), undefined);
  const free = stage(A, true);
  free.slots.update({ ...NOTHING, own: ALL });
  assert.is(free.judge('GET b'), undefined);
  assert.match(free.judge('MGET a b') ?? '', /^Command 'mget' in script attempted/);
  const declared = stage(A);
  declared.slots.update({ ...NOTHING, own: ALL });
  assert.is(declared.judge('GET b'), CROSSING);
});

served('what others serve is not touched, but where main has let it through', () => {
  const { slots, judge, script } = stage(A, true);
  slots.update({ ...NOTHING, unbound: [[B, B]] });
  assert.is(judge('GET a'), undefined);
  assert.is(judge('GET c'), LOCAL);
  assert.is(judge('GET b'), 'Script attempted to access a slot not served');
  script.connection = 9;
  assert.is(judge('GET c'), undefined);
});

served('a replica is read where the declared keys are', () => {
  const { slots, judge } = stage(A, true);
  slots.update({ ...NOTHING, replicated: ALL });
  assert.is(judge('GET b'), undefined);
  assert.is(judge('SET b 1'), LOCAL);
  const undeclared = stage(-1, true);
  undeclared.slots.update({ ...NOTHING, replicated: ALL });
  assert.is(undeclared.judge('GET b'), LOCAL);
});

served('while the cluster is down nothing is done, or nothing written', () => {
  const { slots, judge } = stage();
  slots.update({ ...NOTHING, own: ALL, refused: 'all' });
  assert.is(judge('GET a'), 'Script attempted to execute a command while the cluster is down');
  slots.update({ ...NOTHING, own: ALL, refused: 'writes' });
  assert.is(judge('GET a'), undefined);
  assert.match(judge('SET a 1') ?? '', /write command while the cluster is down and readonly$/);
});

served('keys that have gone to another node are not local', () => {
  const { slots, judge, moves } = stage();
  slots.update({ ...NOTHING, own: ALL });
  moves(errors.ask(A, 'h:1'));
  assert.is(judge('GET a'), LOCAL);
  moves(errors.slotInMotion);
  assert.match(judge('MGET a {a}2') ?? '', /undeclared keys were accessed during rehashing/);
});

served('a script exchanges no databases of a node', () => {
  const { slots, judge } = stage();
  slots.update({ ...NOTHING, own: ALL });
  assert.is(judge('SWAPDB 0 1'), 'SWAPDB is not allowed in cluster mode');
});

served.run();
