/** HSCAN, SSCAN and ZSCAN: cursor, options, and the elements of one call. */

import { type Bytes, CommandError, copyBytes, errors, globMatches, reused } from '#base';
import type { ReplyWriter } from '#resp';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import {
  oneShard,
  type ArgumentDoc,
  type CommandHead,
  type OneShardCommand,
} from '../definition/definition.ts';
import { oneKey } from '../definition/keys.ts';
import { readCursor } from './scan-cursor.ts';

interface ElementScan {
  count: number;
  /** Undefined when every element fits. */
  pattern: Bytes | undefined;
  noValues: boolean;
}

/** Maximum number of elements that one call visits, regardless of COUNT: the table counts in 31 bits. */
const COUNT_MAX = 2 ** 27;
const COUNT_DEFAULT = 10;
const CURSOR_INDEX = 2;
const FIRST_OPTION = 3;
const STAR = 0x2a;

const noValuesHere = new CommandError('ERR NOVALUES option can only be used in HSCAN');

interface ScannedValue {
  /** The element that the walk stands at, once it was read. */
  readonly bytes: Bytes;
  readonly at: number;
  readonly length: number;
  scan(cursor: number, count: number, visit: () => void): number;
}

/** A type whose values are walked. */
interface ScanFamily<Value extends ScannedValue> {
  readonly find: (context: ShardContext, args: Arguments) => Value | undefined;
  /** Reads the current element; false when it has ended. */
  readonly read: (value: Value, context: ShardContext) => boolean;
  /** Gathers what belongs to an element; without it there is nothing. NOVALUES leaves it out where it is known. */
  readonly gatherRest?: (value: Value) => void;
  readonly knowsNoValues?: boolean;
}

/** Makes the command that walks values of a type, some of their elements with each call. */
export function elementScan<Value extends ScannedValue>(
  head: Pick<CommandHead, 'name' | 'summary' | 'complexity' | 'group'>,
  { find, read, gatherRest, knowsNoValues = false }: ScanFamily<Value>,
): OneShardCommand {
  return oneShard({
    ...head,
    since: '2.8.0',
    arity: -3,
    flags: ['readonly'],
    keys: oneKey('RO', 'access'),
    args: [
      { name: 'key', type: 'key' },
      { name: 'cursor', type: 'integer' },
      { name: 'pattern', type: 'pattern', token: 'MATCH', optional: true },
      { name: 'count', type: 'integer', token: 'COUNT', optional: true },
      ...(knowsNoValues ? [NO_VALUES] : []),
    ],
    tips: ['nondeterministic_output'],
    run(context, args) {
      const cursor = elementCursor(args);
      const value = find(context, args);
      gatheredScratch.clear();
      let next = 0;
      if (value !== undefined) {
        const options = readElementScan(args, knowsNoValues);
        next = value.scan(cursor, options.count, () => {
          if (!read(value, context)) return;
          if (!fitsScan(options, value.bytes, value.at, value.length)) return;
          gatheredScratch.add(value.bytes, value.at, value.length);
          if (!options.noValues) gatherRest?.(value);
        });
      }
      answerScan(context.reply, next);
    },
  });
}

const NO_VALUES: ArgumentDoc = {
  name: 'novalues',
  type: 'pure-token',
  token: 'NOVALUES',
  optional: true,
};

/** The place that the cursor argument names; its higher bits mean nothing. */
function elementCursor(args: Arguments): number {
  const cursor = readCursor(args, CURSOR_INDEX);
  if (cursor === undefined) throw errors.invalidCursor;
  return Number(BigInt.asUintN(32, cursor));
}

function readElementScan(args: Arguments, hasValues: boolean): ElementScan {
  const options: ElementScan = { count: COUNT_DEFAULT, pattern: undefined, noValues: false };
  args.position = FIRST_OPTION;
  while (args.more) {
    if (args.left >= 2 && args.takes('COUNT')) {
      options.count = Math.min(args.roundedAt(args.next()), COUNT_MAX);
      if (options.count < 1) throw errors.syntax;
    } else if (args.left >= 2 && args.takes('MATCH')) {
      const pattern = args.bytes();
      options.pattern = pattern.length === 1 && pattern[0] === STAR ? undefined : pattern;
    } else if (args.takes('NOVALUES')) {
      if (!hasValues) throw noValuesHere;
      options.noValues = true;
    } else {
      throw errors.syntax;
    }
  }
  return options;
}

/** True when an element is wanted. */
function fitsScan(options: ElementScan, bytes: Bytes, at: number, length: number): boolean {
  const { pattern } = options;
  return pattern === undefined || globMatches(pattern, bytes.subarray(at, at + length));
}

/** Room that is kept for the strings of the next reply; there may be more between two commands. */
const ROOM_BYTES = 4_096;

/** Strings of a reply whose number is known only at the end. One object serves a whole thread. */
export class GatheredStrings {
  #bytes = Buffer.allocUnsafeSlow(ROOM_BYTES);
  #used = 0;
  /** Offset at which each string ends. */
  readonly #ends: number[] = [];

  get count(): number {
    return this.#ends.length;
  }

  clear(): this {
    this.#used = 0;
    this.#ends.length = 0;
    return this;
  }

  letGo(): void {
    this.clear();
    if (this.#bytes.length > ROOM_BYTES) this.#bytes = Buffer.allocUnsafeSlow(ROOM_BYTES);
  }

  add(bytes: Bytes, at: number, length: number): void {
    if (this.#used + length > this.#bytes.length) this.#grow(length);
    copyBytes(bytes, at, this.#bytes, this.#used, length);
    this.#used += length;
    this.#ends.push(this.#used);
  }

  /** Calls back with each string, in the order they came. */
  each(visit: (bytes: Bytes, at: number, length: number) => void): void {
    let at = 0;
    for (const end of this.#ends) {
      visit(this.#bytes, at, end - at);
      at = end;
    }
  }

  /** Writes the strings, one after the other. */
  writeTo(reply: ReplyWriter): void {
    let at = 0;
    for (const end of this.#ends) {
      reply.bulk(this.#bytes, at, end - at);
      at = end;
    }
  }

  #grow(length: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#used + length, this.#bytes.length * 2));
    copyBytes(this.#bytes, 0, larger, 0, this.#used);
    this.#bytes = larger;
  }
}

/** Strings of the command that is being run. */
export const gatheredScratch = reused(new GatheredStrings());

/** Replies with a page of a scan: the next cursor and the collected elements. */
function answerScan(reply: ReplyWriter, cursor: number): void {
  reply.arrayHeader(2);
  reply.bulkInteger(cursor);
  reply.arrayHeader(gatheredScratch.count);
  gatheredScratch.writeTo(reply);
}
