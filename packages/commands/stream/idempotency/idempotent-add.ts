/** IDMP and IDMPAUTO of XADD: an entry that a producer sends twice is added once. */

import { createHash } from 'node:crypto';
import { CommandError, latin1 } from '#base';
import type { Arguments } from '../../arguments/arguments.ts';
import type { ArgumentDoc } from '../../definition/definition.ts';

const twice = new CommandError('ERR syntax error, IDMP/IDMPAUTO specified multiple times');
const autoWithoutProducer = new CommandError(
  'ERR syntax error, IDMPAUTO requires a non-empty producer ID',
);
const noProducer = new CommandError('ERR syntax error, IDMP requires a non-empty producer ID');
const noIdempotentId = new CommandError(
  'ERR syntax error, IDMP requires a non-empty idempotent ID',
);
/** The entry's id is the server's to choose. */
export const explicitId = new CommandError(
  'ERR syntax error, IDMP/IDMPAUTO can be used only with auto-generated IDs',
);

export const idempotencyDoc: ArgumentDoc = {
  name: 'idmp',
  type: 'oneof',
  since: '8.6.0',
  optional: true,
  arguments: [
    { name: 'pid', type: 'string', token: 'IDMPAUTO' },
    {
      name: 'idmp-block',
      type: 'block',
      token: 'IDMP',
      arguments: [
        { name: 'pid', type: 'string' },
        { name: 'iid', type: 'string' },
      ],
    },
  ],
};

/** Idempotent id of the current entry. */
export class IdempotentAdd {
  isGiven = false;
  /** The producer's name, and the id; both one character per byte. */
  producer = '';
  id = '';
  #isAuto = false;

  clear(): void {
    this.isGiven = false;
    this.producer = '';
    this.id = '';
    this.#isAuto = false;
  }

  /** Takes the option at the arguments' position; returns true if there is one. */
  take(args: Arguments): boolean {
    if (args.left >= 2 && args.takes('IDMPAUTO')) {
      this.#begin(args, autoWithoutProducer);
      this.#isAuto = true;
      return true;
    }
    if (args.left < 3 || !args.takes('IDMP')) return false;
    this.#begin(args, noProducer);
    this.id = args.latin1(args.next());
    if (this.id === '') throw noIdempotentId;
    return true;
  }

  /** Sets the id of an entry that is its own: a digest of its fields and values, regardless of the order of fields. */
  resolve(args: Arguments, first: number, end: number): void {
    if (!this.#isAuto) return;
    const digests: string[] = [];
    for (let index = first; index < end; index += 2) {
      const length = String(args.length(index));
      const hash = createHash('sha256').update(`${length}:`);
      hash.update(args.view(index)).update(args.view(index + 1));
      digests.push(latin1(hash.digest(), 0, DIGEST_BYTES));
    }
    this.id = digests.length === 1 ? digests[0]! : digestOf(digests.sort());
  }

  #begin(args: Arguments, error: CommandError): void {
    if (this.isGiven) throw twice;
    this.isGiven = true;
    this.producer = args.latin1(args.next());
    if (this.producer === '') throw error;
  }
}

const DIGEST_BYTES = 16;

function digestOf(parts: readonly string[]): string {
  const hash = createHash('sha256').update(parts.join(''), 'latin1');
  return latin1(hash.digest(), 0, DIGEST_BYTES);
}
