/** PFADD, PFCOUNT and PFMERGE. */

import type { Bytes } from '#base';
import { hyperloglog } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard } from '../definition/definition.ts';
import { allOf, keySpec, keysToEnd, oneKey } from '../definition/keys.ts';
import { events } from '../contexts/events.ts';
import { changedAt, createdAt, findToRead, findToWrite } from '../elements/lookup.ts';
import { corrupted, keep, ownValueOf, raisedScratch, valueOf } from './value.ts';

export const pfadd = oneShard({
  name: 'PFADD',
  summary: 'Adds elements to a HyperLogLog, which is created if it does not exist.',
  since: '2.8.9',
  complexity: 'O(1) for each element.',
  group: 'hyperloglog',
  arity: -2,
  flags: ['write', 'denyoom', 'fast'],
  keys: oneKey('RW', 'insert'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'element', type: 'string', optional: true, multiple: true },
  ],
  run(context, args) {
    const ref = findToWrite(context, args, 1);
    const isNew = ref === 0;
    const before: Bytes = isNew ? hyperloglog.emptySparse() : ownValueOf(context, ref);
    const { place } = hyperloglog;
    const bytesMax = context.settings.number('encoding.hll-sparse-max-bytes');
    raisedScratch.open(before);
    let raises = 0;
    for (let index = 2; index < args.count; index += 1) {
      hyperloglog.locate(args.source, args.at(index), args.length(index));
      const outcome = raisedScratch.raise(place.register, place.count, bytesMax);
      if (outcome === 'broken') {
        if (raises > 0) keepPart(context, args, raisedScratch.value);
        throw corrupted;
      }
      if (outcome === 'raised') raises += 1;
    }
    const changes = raises + (isNew ? 1 : 0);
    if (changes > 0) {
      hyperloglog.forgetCount(raisedScratch.value);
      if (!raisedScratch.isInPlace) keep(context, args, 1, raisedScratch.value);
    }
    raisedScratch.close();
    if (isNew) createdAt(context, args, 1);
    if (changes > 0) changedAt(context, args, 1, events.pfadd, changes);
    context.reply.integer(changes > 0 ? 1 : 0);
  },
});

/** Before an element that the code does not name, others were added: they stay. */
function keepPart(context: ShardContext, args: Arguments, value: Bytes): void {
  hyperloglog.forgetCount(value);
  keep(context, args, 1, value);
  changedAt(context, args, 1, events.silent);
  // A replay of the command would be refused as well, and a log with such a command cannot be read.
  if (context.isLogged) context.logAs(['SET', args.copy(1), value.slice(), 'KEEPTTL']);
}

export const pfcount = oneShard({
  name: 'PFCOUNT',
  summary:
    'Returns the approximate number of distinct elements of one HyperLogLog, or of the union of several.',
  since: '2.8.9',
  complexity: 'O(1) for one key whose count is cached; O(N) for N keys.',
  group: 'hyperloglog',
  arity: -2,
  // The count is cached in the value, which is then written to.
  flags: ['readonly', 'may_replicate'],
  keys: keysToEnd('RW', 'access'),
  args: [{ name: 'key', type: 'key', multiple: true }],
  run(context, args) {
    if (args.count === 2) context.reply.bigInteger(countOfOne(context, args));
    else context.reply.integer(countOfAll(context, args));
  },
});

function countOfOne(context: ShardContext, args: Arguments): bigint {
  const ref = findToRead(context, args, 1);
  if (ref === 0) return 0n;
  const value = ownValueOf(context, ref);
  const cached = hyperloglog.cachedCount(value);
  if (cached !== undefined) return cached;
  const registers = new Uint8Array(hyperloglog.REGISTERS);
  if (!hyperloglog.mergeInto(registers, value)) throw corrupted;
  const count = hyperloglog.estimate(registers);
  hyperloglog.cacheCount(value, count);
  changedAt(context, args, 1, events.silent);
  return BigInt(count);
}

function countOfAll(context: ShardContext, args: Arguments): number {
  const registers = new Uint8Array(hyperloglog.REGISTERS);
  for (let index = 1; index < args.count; index += 1) {
    const ref = findToRead(context, args, index);
    if (ref === 0) continue;
    if (!hyperloglog.mergeInto(registers, valueOf(context, ref))) throw corrupted;
  }
  return hyperloglog.estimate(registers);
}

export const pfmerge = oneShard({
  name: 'PFMERGE',
  summary: 'Merges several HyperLogLogs into one.',
  since: '2.8.9',
  complexity: 'O(N) for N keys, each with a large constant.',
  group: 'hyperloglog',
  arity: -2,
  flags: ['write', 'denyoom'],
  keys: allOf(keySpec(1, 'RW', ['access', 'insert']), ...keysToEnd('RO', 'access', 2).specs),
  args: [
    { name: 'destkey', type: 'key', keySpec: 0 },
    { name: 'sourcekey', type: 'key', optional: true, multiple: true, keySpec: 1 },
  ],
  run(context, args) {
    const registers = new Uint8Array(hyperloglog.REGISTERS);
    let isDense = false;
    for (let index = 1; index < args.count; index += 1) {
      const source = findToRead(context, args, index);
      if (source === 0) continue;
      const value = valueOf(context, source);
      isDense ||= hyperloglog.isDense(value);
      if (!hyperloglog.mergeInto(registers, value)) throw corrupted;
    }
    const ref = findToWrite(context, args, 1);
    const isNew = ref === 0;
    const before: Bytes = isNew ? hyperloglog.emptySparse() : valueOf(context, ref);
    const value = isDense ? denseOf(before) : sparseOf(context, before, registers);
    if (isDense) hyperloglog.fillDense(value, registers);
    hyperloglog.forgetCount(value);
    keep(context, args, 1, value);
    if (isNew) createdAt(context, args, 1);
    changedAt(context, args, 1, events.pfadd);
    context.reply.ok();
  },
});

/** The value as a dense one of its own memory, whose header stays what it was. */
function denseOf(before: Bytes): Bytes {
  if (hyperloglog.isDense(before)) return before.slice();
  const dense = hyperloglog.toDense(before);
  if (dense === undefined) throw corrupted;
  return dense;
}

/** The value with all registers raised; it turns dense where it no longer fits a code. */
function sparseOf(context: ShardContext, before: Bytes, registers: Uint8Array): Bytes {
  const bytesMax = context.settings.number('encoding.hll-sparse-max-bytes');
  raisedScratch.open(before);
  for (const [register, count] of registers.entries()) {
    // A code that cannot be raised there stays as it is, as in Redis.
    if (count > 0) raisedScratch.raise(register, count, bytesMax);
  }
  return raisedScratch.value;
}
