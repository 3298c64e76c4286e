/** SPOP and SRANDMEMBER: members by chance. */

import { type Bytes, errors } from '#base';
import type { SetValue } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard } from '../definition/definition.ts';
import { drawDistinct } from '../elements/distinct-draw.ts';
import { demandRepeatable, elementCount } from '../elements/element-count.ts';
import { gatheredScratch } from '../elements/element-scan.ts';
import { oneKey } from '../definition/keys.ts';
import { removeIfEmpty, takenAt } from '../elements/lookup.ts';
import { events } from '../contexts/events.ts';
import { setToRead, setToWrite } from './lookup.ts';

const spop = oneShard({
  name: 'SPOP',
  summary: 'Removes and returns one or more random members of a set.',
  since: '1.0.0',
  complexity: 'O(N) for N members in the reply.',
  group: 'set',
  arity: -2,
  flags: ['write', 'fast'],
  keys: oneKey('RW', ['access', 'delete']),
  args: [
    { name: 'key', type: 'key' },
    { name: 'count', type: 'integer', since: '3.2.0', optional: true },
  ],
  tips: ['nondeterministic_output'],
  history: [['3.2.0', 'Takes a count.']],
  run(context, args) {
    if (args.count > 3) throw errors.syntax;
    if (args.count === 3) popSeveral(context, args);
    else popOne(context, args);
  },
});

const srandmember = oneShard({
  name: 'SRANDMEMBER',
  summary: 'Returns one or more random members of a set.',
  since: '1.0.0',
  complexity: 'O(N) for N members in the reply.',
  group: 'set',
  arity: -2,
  flags: ['readonly'],
  keys: oneKey('RO', 'access'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'count', type: 'integer', since: '2.6.0', optional: true },
  ],
  tips: ['nondeterministic_output'],
  history: [['2.6.0', 'Takes a count.']],
  run(context, args) {
    if (args.count > 3) throw errors.syntax;
    if (args.count === 3) {
      answerSeveral(context, args);
      return;
    }
    const set = setToRead(context, args);
    if (set === undefined) {
      context.reply.nil();
      return;
    }
    set.draw(() => context.random());
    writeCurrent(context, set);
  },
});

export const setDrawing = [spop, srandmember];

function writeCurrent({ reply }: ShardContext, set: SetValue): void {
  set.read();
  reply.bulk(set.bytes, set.at, set.length);
}

function popOne(context: ShardContext, args: Arguments): void {
  const set = setToWrite(context, args);
  if (set === undefined) {
    context.reply.nil();
    return;
  }
  set.draw(() => context.random());
  writeCurrent(context, set);
  if (context.isLogged) context.logAs(['SREM', args.copy(1), currentOf(set)]);
  set.remove();
  takenAt(context, args, 1, events.spop, 1, removeIfEmpty(context, set));
}

function popSeveral(context: ShardContext, args: Arguments): void {
  const { reply } = context;
  const wanted = args.roundedAt(2, errors.notPositive);
  if (wanted < 0) throw errors.notPositive;
  const set = setToWrite(context, args);
  const count = set === undefined ? 0 : Math.min(wanted, set.count);
  reply.setHeader(count);
  if (set === undefined || count === 0) return;
  if (count === set.count) {
    for (let more = set.first(); more; more = set.next()) writeCurrent(context, set);
    context.keyspace.removeRef(set.ref);
    if (context.isLogged) context.logAs(['DEL', args.copy(1)]);
    takenAt(context, args, 1, events.spop, count, true);
    return;
  }
  if (set.isTable) {
    const popped = popFromTable(context, set, count);
    if (context.isLogged) context.logAs(['SREM', args.copy(1), ...popped]);
  } else {
    gatheredScratch.clear();
    const random = (): number => context.random();
    drawDistinct(set, count, random, () => {
      set.read();
      gatheredScratch.add(set.bytes, set.at, set.length);
    });
    gatheredScratch.each((bytes, at, length) => set.delete(bytes, at, length));
    gatheredScratch.writeTo(reply);
    if (context.isLogged) logGathered(context, args);
  }
  takenAt(context, args, 1, events.spop, count, false);
}

/** Returns the popped members if they are logged. */
function popFromTable(context: ShardContext, set: SetValue, count: number): readonly Bytes[] {
  const random = (): number => context.random();
  const popped: Bytes[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    set.draw(random);
    writeCurrent(context, set);
    if (context.isLogged) popped.push(currentOf(set));
    set.remove();
  }
  return popped;
}

function logGathered(context: ShardContext, args: Arguments): void {
  const popped: Bytes[] = [];
  gatheredScratch.each((bytes, at, length) => popped.push(bytes.slice(at, at + length)));
  context.logAs(['SREM', args.copy(1), ...popped]);
}

/** A copy of the member that was read last. */
function currentOf(set: SetValue): Bytes {
  set.read();
  return set.bytes.slice(set.at, set.at + set.length);
}

function answerSeveral(context: ShardContext, args: Arguments): void {
  const { reply } = context;
  const random = (): number => context.random();
  const wanted = elementCount(args, 2);
  const set = setToRead(context, args);
  if (set === undefined || wanted === 0) {
    reply.arrayHeader(0);
    return;
  }
  if (wanted < 0) {
    demandRepeatable(wanted);
    reply.arrayHeader(-wanted);
    for (let nth = 0; nth < -wanted; nth += 1) {
      set.draw(random);
      writeCurrent(context, set);
    }
    return;
  }
  const count = Math.min(wanted, set.count);
  reply.arrayHeader(count);
  drawDistinct(set, count, random, () => writeCurrent(context, set));
}
