/** PFDEBUG and PFSELFTEST: what is inside, and whether the arithmetic holds on this machine. */

import { CommandError, untilNul } from '#base';
import { hyperloglog } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard } from '../definition/definition.ts';
import { noKeys, oneKey } from '../definition/keys.ts';
import { findToWrite } from '../elements/lookup.ts';
import { corrupted, keep, ownValueOf, valueOf } from './value.ts';

const noSuchKey = new CommandError('ERR The specified key does not exist');
const notSparse = new CommandError('ERR HLL encoding is not sparse');

export const pfdebug = oneShard({
  name: 'PFDEBUG',
  summary: 'Returns internals of a HyperLogLog.',
  since: '2.8.9',
  complexity: 'O(1), with a large constant.',
  group: 'hyperloglog',
  arity: 3,
  flags: ['write', 'denyoom', 'admin'],
  isInternal: true,
  keys: oneKey('RW', 'access', 2),
  args: [
    { name: 'subcommand', type: 'string' },
    { name: 'key', type: 'key' },
  ],
  run(context, args) {
    const ref = findToWrite(context, args, 2);
    if (ref === 0) throw noSuchKey;
    const value = ownValueOf(context, ref);
    const isDense = hyperloglog.isDense(value);
    if (args.spellsAt(1, 'GETREG')) {
      answerRegisters(context, args);
    } else if (args.spellsAt(1, 'DECODE')) {
      if (isDense) throw notSparse;
      context.reply.text(decoded(value), 'latin1');
    } else if (args.spellsAt(1, 'ENCODING')) {
      context.reply.simple(isDense ? 'dense' : 'sparse');
    } else if (args.spellsAt(1, 'TODENSE')) {
      makeDense(context, args);
      context.reply.integer(isDense ? 0 : 1);
    } else {
      throw new CommandError(`ERR Unknown PFDEBUG subcommand '${untilNul(args.latin1(1))}'`);
    }
  },
});

function makeDense(context: ShardContext, args: Arguments): void {
  const value = valueOf(context, findToWrite(context, args, 2));
  if (hyperloglog.isDense(value)) return;
  const dense = hyperloglog.toDense(value);
  if (dense === undefined) throw corrupted;
  keep(context, args, 2, dense);
  context.countChanges(1);
}

function answerRegisters(context: ShardContext, args: Arguments): void {
  makeDense(context, args);
  const value = valueOf(context, findToWrite(context, args, 2));
  const { reply } = context;
  reply.arrayHeader(hyperloglog.REGISTERS);
  for (let register = 0; register < hyperloglog.REGISTERS; register += 1) {
    reply.integer(hyperloglog.denseRegister(value, register));
  }
}

/** The runs of a sparse code: z and Z of zeros, v of a value. */
function decoded(value: Uint8Array): string {
  const runs: string[] = [];
  for (let at = hyperloglog.HEADER_BYTES; at < value.length;) {
    const run = hyperloglog.runAt(value, at);
    if (run.value > 0) runs.push(`v:${String(run.value)},${String(run.length)}`);
    else runs.push(`${run.bytes === 1 ? 'z' : 'Z'}:${String(run.length)}`);
    at += run.bytes;
  }
  return runs.join(' ');
}

/** Elements whose count is compared with the estimate. */
const SELFTEST_ELEMENTS = 20_000;
/** Six standard errors of 16,384 registers. */
const SELFTEST_ERROR_MAX = (6 * 1.04) / Math.sqrt(16_384);

export const pfselftest = oneShard({
  name: 'PFSELFTEST',
  summary: 'Tests registers and estimates of the HyperLogLog code.',
  since: '2.8.9',
  complexity: 'O(N), N depending on the tests.',
  group: 'hyperloglog',
  arity: 1,
  flags: ['admin'],
  isInternal: true,
  keys: noKeys,
  args: [],
  run(context) {
    const random = (): number => context.random();
    const fault = registerFault(random) ?? estimateFault(random);
    if (fault !== undefined) throw new CommandError(`ERR TESTFAILED ${fault}`);
    context.reply.ok();
  },
});

function registerFault(random: () => number): string | undefined {
  const dense = hyperloglog.emptyDense();
  const model = new Uint8Array(hyperloglog.REGISTERS);
  for (let round = 0; round < 4; round += 1) {
    for (let register = 0; register < model.length; register += 1) {
      model[register] = Math.floor(random() * 64);
      hyperloglog.setDenseRegister(dense, register, model[register]!);
    }
    for (const [register, count] of model.entries()) {
      if (hyperloglog.denseRegister(dense, register) === count) continue;
      return `register ${String(register)} does not keep ${String(count)}`;
    }
  }
  return undefined;
}

function estimateFault(random: () => number): string | undefined {
  const registers = new Uint8Array(hyperloglog.REGISTERS);
  const salt = String(random());
  for (let nth = 0; nth < SELFTEST_ELEMENTS; nth += 1) {
    const element = Buffer.from(`${salt}:${String(nth)}`, 'latin1');
    hyperloglog.locate(element, 0, element.length);
    const { register, count } = hyperloglog.place;
    registers[register] = Math.max(registers[register]!, count);
  }
  const error = Math.abs(hyperloglog.estimate(registers) / SELFTEST_ELEMENTS - 1);
  return error > SELFTEST_ERROR_MAX ? `the estimate is off by ${String(error)}` : undefined;
}
