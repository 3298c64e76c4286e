/** INCREX: counting within bounds, with an expiry. */

import {
  addLongDoubles,
  CommandError,
  compareLongDoubles,
  errors,
  formatLongDouble,
  INT64_MAX,
  INT64_MIN,
  LONG_DOUBLE_MAX,
  type LongDouble,
  negatedLongDouble,
  parseInteger64,
} from '#base';
import { KEEP_TTL, type Ref, setOptions, valueScratch } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import { longDoubleOf } from '../arguments/long-double.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { type ArgumentDoc, oneShard } from '../definition/definition.ts';
import { oneKey } from '../definition/keys.ts';
import { events } from '../contexts/events.ts';
import { TIME_FORMS, type TimeForm, timeOptions } from '../keyspace/expiry/time-forms.ts';
import { changedAt, createdAt, findStringToWrite, notifyAt } from '../elements/lookup.ts';
import { StringForm } from './encoding.ts';
import { endOf, spanOf } from './expiry.ts';

const crossedBounds = new CommandError("ERR LBOUND can't be greater than UBOUND");
const noExpiration = new CommandError('ERR ENX flag requires an expiration');
const infiniteIncrement = new CommandError('ERR BYFLOAT increment cannot be Infinity');
const infiniteValue = new CommandError('ERR value cannot be Infinity');
const appliedOverflow = new CommandError('ERR applied increment would overflow');

const notIntegers = faultsOf('is not an integer or out of range');
const notFloats = faultsOf('is not a valid float');

/** Errors of an argument that is no number, by its name in them. */
type NumberFaults = Readonly<Record<'Increment' | 'LBOUND' | 'UBOUND', CommandError>>;

function faultsOf(reason: string): NumberFaults {
  const fault = (name: string): CommandError => new CommandError(`ERR ${name} ${reason}`);
  return { Increment: fault('Increment'), LBOUND: fault('LBOUND'), UBOUND: fault('UBOUND') };
}

const flag = (name: string): ArgumentDoc => ({
  name,
  type: 'pure-token',
  token: name.toUpperCase(),
  optional: true,
});

const increx = oneShard({
  name: 'INCREX',
  summary: 'Adds a number to that of a key, within bounds, and sets or removes its expiry.',
  since: '8.8.0',
  complexity: 'O(1)',
  group: 'string',
  arity: -2,
  flags: ['write', 'denyoom', 'fast'],
  keys: oneKey('RW', ['access', 'update']),
  args: [
    { name: 'key', type: 'key' },
    {
      name: 'increment',
      type: 'oneof',
      optional: true,
      arguments: [
        { name: 'float', type: 'double', token: 'BYFLOAT' },
        { name: 'integer', type: 'integer', token: 'BYINT' },
      ],
    },
    flag('saturate'),
    { name: 'lowerbound', type: 'string', token: 'LBOUND', optional: true },
    { name: 'upperbound', type: 'string', token: 'UBOUND', optional: true },
    {
      name: 'expiration',
      type: 'oneof',
      optional: true,
      arguments: [...timeOptions, { name: 'persist', type: 'pure-token', token: 'PERSIST' }],
    },
    flag('enx'),
  ],
  run(context, args) {
    const options = readOptions(args);
    if (options.isFloat) increment(context, args, options, floats);
    else increment(context, args, options, integers);
  },
});

export const stringIncrementBounded = [increx];

interface Options {
  /** Arguments of these options; 0 when they are not given. */
  increment: number;
  lower: number;
  upper: number;
  isFloat: boolean;
  /** True to stop at a bound instead of refusing to pass it. */
  saturates: boolean;
  /** Form of the time, which is argument `timeIndex`. */
  time: TimeForm | undefined;
  timeIndex: number;
  persists: boolean;
  /** ENX: a key with an expiry keeps it. */
  keepsExpiry: boolean;
}

function readOptions(args: Arguments): Options {
  const options: Options = {
    increment: 0,
    lower: 0,
    upper: 0,
    isFloat: false,
    saturates: false,
    time: undefined,
    timeIndex: 0,
    persists: false,
    keepsExpiry: false,
  };
  args.position = 2;
  while (args.more) {
    if (!takesFlag(args, options) && !(args.left >= 2 && takesValue(args, options))) {
      throw errors.syntax;
    }
  }
  if (options.persists && (options.keepsExpiry || options.time !== undefined)) throw errors.syntax;
  if (options.keepsExpiry && options.time === undefined) throw noExpiration;
  return options;
}

/** Takes an option without a value, which may be given once. */
function takesFlag(args: Arguments, options: Options): boolean {
  if (!options.saturates && args.takes('SATURATE')) return (options.saturates = true);
  if (!options.keepsExpiry && args.takes('ENX')) return (options.keepsExpiry = true);
  if (!options.persists && args.takes('PERSIST')) return (options.persists = true);
  return false;
}

function takesValue(args: Arguments, options: Options): boolean {
  const form = options.time === undefined && TIME_FORMS.find(({ word }) => args.takes(word));
  if (form) {
    options.time = form;
    options.timeIndex = args.next();
  } else if (options.increment === 0 && args.takes('BYINT')) {
    options.increment = args.next();
  } else if (options.increment === 0 && args.takes('BYFLOAT')) {
    options.increment = args.next();
    options.isFloat = true;
  } else if (options.lower === 0 && args.takes('LBOUND')) {
    options.lower = args.next();
  } else if (options.upper === 0 && args.takes('UBOUND')) {
    options.upper = args.next();
  } else {
    return false;
  }
  return true;
}

/** A kind of numbers that can be counted in. */
interface Arithmetic<T> {
  readonly zero: T;
  readonly one: T;
  readonly least: T;
  readonly most: T;
  readonly event: typeof events.incrby;
  readonly storing: typeof KEEP_TTL;
  increment(args: Arguments, index: number): T;
  bound(args: Arguments, index: number, name: 'LBOUND' | 'UBOUND'): T;
  /** The number that a key holds. */
  stored(context: ShardContext, ref: Ref): T;
  /** One plus the other, which may be beyond the limits. */
  sum(one: T, other: T): T;
  /** One minus the other; throws an error when it is beyond the limits. */
  applied(one: T, other: T): T;
  /** Negative if the first is the smaller one, 0 if both are equal. */
  compare(one: T, other: T): number;
  text(value: T): string;
  reply(context: ShardContext, value: T): void;
}

const integers: Arithmetic<bigint> = {
  zero: 0n,
  one: 1n,
  least: INT64_MIN,
  most: INT64_MAX,
  event: events.incrby,
  storing: KEEP_TTL,
  increment: (args, index) => args.integer64At(index, notIntegers.Increment),
  bound: (args, index, name) => args.integer64At(index, notIntegers[name]),
  stored({ keyspace }, ref) {
    const { bytes, at, length } = keyspace.value(ref);
    const value = parseInteger64(bytes, at, length);
    if (value === undefined) throw errors.notInteger;
    return value;
  },
  sum: (one, other) => one + other,
  applied(one, other) {
    const difference = one - other;
    if (difference < INT64_MIN || difference > INT64_MAX) throw appliedOverflow;
    return difference;
  },
  compare: (one, other) => (one < other ? -1 : Number(one > other)),
  text: String,
  reply: ({ reply }, value) => reply.bigInteger(value),
};

const ZERO: LongDouble = { negative: false, mantissa: 0n, power: 0, infinite: false };

const floats: Arithmetic<LongDouble> = {
  zero: ZERO,
  one: { ...ZERO, mantissa: 1n },
  least: negatedLongDouble(LONG_DOUBLE_MAX),
  most: LONG_DOUBLE_MAX,
  event: events.incrbyfloat,
  storing: setOptions({ keepTtl: true, encoding: StringForm.text }),
  increment(args, index) {
    const value = floatAt(args, index, notFloats.Increment);
    if (value.infinite) throw infiniteIncrement;
    return value;
  },
  bound(args, index, name) {
    const error = notFloats[name];
    const value = floatAt(args, index, error);
    if (value.infinite) throw error;
    return value;
  },
  stored({ keyspace }, ref) {
    const { bytes, at, length } = keyspace.value(ref);
    const value = longDoubleOf(bytes, at, length, errors.notFloat);
    if (value.infinite) throw infiniteValue;
    return value;
  },
  sum: finiteSum,
  applied(one, other) {
    const difference = finiteSum(one, negatedLongDouble(other));
    if (difference.infinite) throw appliedOverflow;
    return difference;
  },
  compare: compareLongDoubles,
  text: formatLongDouble,
  reply: ({ reply }, value) => reply.doubleText(formatLongDouble(value)),
};

function floatAt(args: Arguments, index: number, error: CommandError): LongDouble {
  return longDoubleOf(args.source, args.at(index), args.length(index), error);
}

/** The sum of finite numbers, which is a number. */
function finiteSum(one: LongDouble, other: LongDouble): LongDouble {
  return addLongDoubles(one, other)!;
}

function increment<T>(
  context: ShardContext,
  args: Arguments,
  options: Options,
  numbers: Arithmetic<T>,
): void {
  const step = options.increment === 0 ? numbers.one : numbers.increment(args, options.increment);
  const bounds = boundsOf(args, options, numbers);
  const expireAt = expiryOf(context, args, options);
  const ref = findStringToWrite(context, args, 1);
  const old = ref === 0 ? numbers.zero : numbers.stored(context, ref);
  const sum = numbers.sum(old, step);
  const value = within(sum, bounds, numbers);
  const isDue = value === sum || options.saturates;
  const applied = isDue ? numbers.applied(value, old) : numbers.zero;
  if (isDue) store(context, args, ref, { options, expireAt, numbers, text: numbers.text(value) });
  context.reply.arrayHeader(2);
  numbers.reply(context, isDue ? value : old);
  numbers.reply(context, applied);
}

interface Bounds<T> {
  readonly lower: T;
  readonly upper: T;
}

function boundsOf<T>(args: Arguments, options: Options, numbers: Arithmetic<T>): Bounds<T> {
  const lower = options.lower === 0 ? numbers.least : numbers.bound(args, options.lower, 'LBOUND');
  const upper = options.upper === 0 ? numbers.most : numbers.bound(args, options.upper, 'UBOUND');
  if (numbers.compare(lower, upper) > 0) throw crossedBounds;
  return { lower, upper };
}

/** The number itself, or the bound that it has passed. */
function within<T>(value: T, { lower, upper }: Bounds<T>, numbers: Arithmetic<T>): T {
  if (numbers.compare(value, lower) < 0) return lower;
  return numbers.compare(value, upper) > 0 ? upper : value;
}

/** Unix millisecond of the given time, or -1. */
function expiryOf({ nowMs }: ShardContext, args: Arguments, { time, timeIndex }: Options): number {
  if (time === undefined) return -1;
  return endOf(spanOf(args, timeIndex, time.unitMs, 'increx'), time.absolute ? 0 : nowMs, 'increx');
}

interface Outcome {
  readonly options: Options;
  readonly expireAt: number;
  readonly text: string;
  readonly numbers: Pick<Arithmetic<never>, 'event' | 'storing'>;
}

/** Stores the number in place of the one of `ref`, or removes the key if it has expired already. */
function store(
  context: ShardContext,
  args: Arguments,
  ref: Ref,
  { options, expireAt, text, numbers }: Outcome,
): void {
  const { keyspace } = context;
  const hadExpiry = ref !== 0 && keyspace.expireAt(ref) !== -1;
  const expires = expireAt !== -1 && !(options.keepsExpiry && hadExpiry);
  if (expires && context.isOver(expireAt)) {
    if (ref !== 0) remove(context, args, ref);
    return;
  }
  const digits = Buffer.from(text, 'latin1');
  const stored = keyspace.set(args.keySpan(1), valueScratch.all(digits), numbers.storing);
  if (ref === 0) createdAt(context, args, 1);
  changedAt(context, args, 1, numbers.event);
  const isPersisted = options.persists && hadExpiry;
  if (expires || isPersisted) {
    keyspace.setExpireAt(stored, expires ? expireAt : -1);
    notifyAt(context, args, 1, expires ? events.expire : events.persist);
  }
  if (!context.isReplicated) return;
  const ending = expires ? ['PXAT', String(expireAt)] : isPersisted ? [] : ['KEEPTTL'];
  context.logAs(['SET', args.copy(1), digits, ...ending]);
}

function remove(context: ShardContext, args: Arguments, ref: Ref): void {
  context.keyspace.removeRef(ref);
  if (context.isReplicated) context.logAs(['DEL', args.copy(1)]);
  changedAt(context, args, 1, events.del);
}
