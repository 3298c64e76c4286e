/** The options of SET, MSETEX and GETEX, above all those that say when a key ends. */

import { errors, INT64_MAX, parseInteger64 } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import { EXPIRY_MS_MAX } from '../keyspace/expiry/expiry-time.ts';
import { TIME_FORMS, type TimeForm } from '../keyspace/expiry/time-forms.ts';
import { conditionAt, type ValueCondition } from './conditions/condition.ts';

/** The commands whose options these are. */
type OptionsOf = 'set' | 'msetex' | 'getex';

/** Options of one command; one object serves all commands of a thread. */
export class StringOptions {
  onlyNew = false;
  onlyExisting = false;
  answersOld = false;
  keepTtl = false;
  persist = false;
  /** Condition on the value, which excludes NX and XX. */
  condition: ValueCondition | undefined;
  #time: TimeForm | undefined;
  /** Argument that holds the time. */
  #timeIndex = 0;

  /** Reads the arguments from `first` on; throws a syntax error when they fit no command. */
  read(args: Arguments, first: number, command: OptionsOf): void {
    this.#clear();
    let index = first;
    while (index < args.count) {
      if (this.#takesTime(args, index)) {
        index += 2;
      } else if (this.#takesWord(args, index, command)) {
        index += 1;
      } else if (command === 'set' && this.#takesCondition(args, index)) {
        index += 2;
      } else {
        throw errors.syntax;
      }
    }
  }

  /** True when the time is a Unix time instead of a time to live. */
  get isAbsolute(): boolean {
    return this.#time?.absolute === true;
  }

  /** Milliseconds of Unix time, or -1 when no time is given. */
  expireAt(args: Arguments, nowMs: number, command: string): number {
    const form = this.#time;
    if (form === undefined) return -1;
    const span = spanOf(args, this.#timeIndex, form.unitMs, command);
    return endOf(span, form.absolute ? 0 : nowMs, command);
  }

  #clear(): void {
    this.onlyNew = false;
    this.onlyExisting = false;
    this.answersOld = false;
    this.keepTtl = false;
    this.persist = false;
    this.condition = undefined;
    this.#time = undefined;
  }

  // The same form may be given twice, and the later one counts, as Redis has it.
  #takesTime(args: Arguments, index: number): boolean {
    for (const form of TIME_FORMS) {
      if (!args.spellsAt(index, form.word)) continue;
      const isOnlyOption = !this.keepTtl && !this.persist && (this.#time ?? form) === form;
      if (!isOnlyOption || index + 1 >= args.count) return false;
      this.#time = form;
      this.#timeIndex = index + 1;
      return true;
    }
    return false;
  }

  #takesWord(args: Arguments, index: number, command: OptionsOf): boolean {
    if (command === 'getex') return this.#takesPersist(args, index);
    if (this.#takesExistence(args, index)) return true;
    if (command === 'set' && args.spellsAt(index, 'GET')) return (this.answersOld = true);
    if (this.#time !== undefined || !args.spellsAt(index, 'KEEPTTL')) return false;
    return (this.keepTtl = true);
  }

  #takesExistence(args: Arguments, index: number): boolean {
    if (this.condition !== undefined) return false;
    if (!this.onlyExisting && args.spellsAt(index, 'NX')) return (this.onlyNew = true);
    if (!this.onlyNew && args.spellsAt(index, 'XX')) return (this.onlyExisting = true);
    return false;
  }

  #takesCondition(args: Arguments, index: number): boolean {
    const isOnly = !this.onlyNew && !this.onlyExisting && this.condition === undefined;
    if (!isOnly || index + 1 >= args.count) return false;
    this.condition = conditionAt(args, index);
    return this.condition !== undefined;
  }

  #takesPersist(args: Arguments, index: number): boolean {
    if (this.#time !== undefined || !args.spellsAt(index, 'PERSIST')) return false;
    return (this.persist = true);
  }
}

/**
 * The time that argument `index` gives, in milliseconds; `command` is for the error of one that is
 * not positive or that 64 bits of milliseconds do not hold.
 */
export function spanOf(args: Arguments, index: number, unitMs: number, command: string): number {
  const value = args.integerAt(index);
  if (!Number.isNaN(value)) {
    if (value <= 0) throw errors.invalidExpire(command);
    return value * unitMs;
  }
  const large = parseInteger64(args.source, args.at(index), args.length(index));
  if (large === undefined) throw errors.notInteger;
  const span = large * BigInt(unitMs);
  if (large <= 0n || span > INT64_MAX) throw errors.invalidExpire(command);
  return Number(span);
}

const INT64_LIMIT = 2 ** 63;

/** The moment a span after `baseMs`, which is 0 when the span is a moment itself. */
export function endOf(spanMs: number, baseMs: number, command: string): number {
  if (baseMs > 0 && spanMs + baseMs >= INT64_LIMIT) throw errors.invalidExpire(command);
  return Math.min(spanMs + baseMs, EXPIRY_MS_MAX);
}
