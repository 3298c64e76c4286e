/** Options of XADD and XTRIM that select the entries to trim. */

import { CommandError } from '#base';
import { type References, StreamId, type Trimming } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import type { ArgumentDoc } from '../definition/definition.ts';
import { isSign, readId } from './entries/ids.ts';
import { REFERENCE_WORDS, takeReferences } from './references/reference-options.ts';

/** Number of nodes, of the size that is set, that an approximate trimming looks at. */
const LIMIT_NODES = 100;
const LIMIT_STANDARD = 10_000;
const LIMIT_MAX = 1_000_000;

const bothStrategies = new CommandError(
  'ERR syntax error, MAXLEN and MINID options at the same time are not compatible',
);
const negativeLength = new CommandError('ERR The MAXLEN argument must be >= 0.');
const negativeLimit = new CommandError('ERR The LIMIT argument must be >= 0.');
const limitWithoutStrategy = new CommandError(
  'ERR syntax error, LIMIT cannot be used without specifying a trimming strategy',
);
const limitOfExact = new CommandError(
  'ERR syntax error, LIMIT cannot be used without the special ~ option',
);

export const trimDoc: ArgumentDoc = {
  name: 'trim',
  type: 'block',
  arguments: [
    {
      name: 'strategy',
      type: 'oneof',
      arguments: [
        { name: 'maxlen', type: 'pure-token', token: 'MAXLEN' },
        { name: 'minid', type: 'pure-token', token: 'MINID', since: '6.2.0' },
      ],
    },
    {
      name: 'operator',
      type: 'oneof',
      optional: true,
      arguments: [
        { name: 'equal', type: 'pure-token', token: '=' },
        { name: 'approximately', type: 'pure-token', token: '~' },
      ],
    },
    { name: 'threshold', type: 'string' },
    { name: 'count', type: 'integer', token: 'LIMIT', since: '6.2.0', optional: true },
  ],
};

export class TrimOptions implements Trimming {
  firstKept: StreamId | undefined;
  kept = 0;
  isApproximate = false;
  limit = 0;
  isGiven = false;
  #references: References | undefined;
  #hasLimit = false;
  readonly #id = new StreamId();

  get references(): References {
    return this.#references ?? 'kept';
  }

  /** Words that say the same about references in a command that is logged; none for the usual ones. */
  get referenceWords(): readonly string[] {
    return this.references === 'kept' ? [] : [REFERENCE_WORDS[this.references]];
  }

  clear(): void {
    this.firstKept = undefined;
    this.kept = 0;
    this.isApproximate = false;
    this.limit = 0;
    this.isGiven = false;
    this.#references = undefined;
    this.#hasLimit = false;
  }

  /** Takes an option at the arguments' position; returns true if there is one. */
  take(args: Arguments): boolean {
    if (this.#references === undefined) {
      this.#references = takeReferences(args);
      if (this.#references !== undefined) return true;
    }
    if (args.left < 2) return false;
    if (args.takes('MAXLEN')) {
      this.#begin(args);
      this.kept = args.roundedAt(args.next());
      if (this.kept < 0) throw negativeLength;
    } else if (args.takes('MINID')) {
      this.#begin(args);
      readId(args, args.next(), this.#id);
      this.firstKept = this.#id;
    } else if (args.takes('LIMIT')) {
      this.limit = args.roundedAt(args.next());
      if (this.limit < 0) throw negativeLimit;
      this.#hasLimit = true;
    } else {
      return false;
    }
    return true;
  }

  /** Judges the options together; without a limit there is a standard one. */
  finish({ settings, isObeyed }: ShardContext): void {
    if (isObeyed) {
      // A primary names the length that it has come to, behind = and with the limit that it was given.
      this.limit = 0;
      return;
    }
    if (this.limit > 0 && !this.isGiven) throw limitWithoutStrategy;
    if (this.#hasLimit) {
      if (!this.isApproximate) throw limitOfExact;
    } else if (this.isApproximate) {
      const entries = LIMIT_NODES * settings.number('encoding.stream-node-max-entries');
      this.limit = entries <= 0 ? LIMIT_STANDARD : Math.min(entries, LIMIT_MAX);
    }
  }

  #begin(args: Arguments): void {
    if (this.isGiven) throw bothStrategies;
    this.isGiven = true;
    if (args.left < 2) return;
    this.isApproximate = isSign(args, args.position, '~');
    if (this.isApproximate || isSign(args, args.position, '=')) args.position += 1;
  }
}

/** The error of XTRIM without a strategy, which comes after that of a limit alone. */
export const noStrategy = new CommandError(
  'ERR syntax error, XTRIM must be called with a trimming strategy',
);
