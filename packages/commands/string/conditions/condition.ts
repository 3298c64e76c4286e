/** Conditions on the string that a key holds: IFEQ, IFNE, IFDEQ and IFDNE; and DIGEST, for the last two. */

import { CommandError, sameBytes, xxh3 } from '#base';
import type { Keyspace, Ref } from '#store';
import type { Arguments, ArgumentSource } from '../../arguments/arguments.ts';
import type { ShardContext } from '../../contexts/contexts.ts';
import { type ArgumentDoc, oneShard } from '../../definition/definition.ts';
import { oneKey } from '../../definition/keys.ts';
import { findString } from '../../elements/lookup.ts';

interface ConditionForm {
  readonly word: 'IFEQ' | 'IFNE' | 'IFDEQ' | 'IFDNE';
  /** True when the string must be the one given, so that the key must exist. */
  readonly wantsSame: boolean;
  /** True when the argument is a digest. */
  readonly ofDigest: boolean;
}

const CONDITION_FORMS: readonly ConditionForm[] = [
  { word: 'IFEQ', wantsSame: true, ofDigest: false },
  { word: 'IFNE', wantsSame: false, ofDigest: false },
  { word: 'IFDEQ', wantsSame: true, ofDigest: true },
  { word: 'IFDNE', wantsSame: false, ofDigest: true },
];

/** The conditions as options, for COMMAND DOCS. */
export const conditionDocs: readonly ArgumentDoc[] = CONDITION_FORMS.map((form) => {
  const name = `${form.word.toLowerCase()}-${form.ofDigest ? 'digest' : 'value'}`;
  return { name, type: 'string', token: form.word };
});

/** A condition, with the index of the argument that holds its string or digest. */
export interface ValueCondition {
  readonly form: ConditionForm;
  readonly index: number;
}

/** The condition that argument `index` names, if any; its string or digest is the next one. */
export function conditionAt(args: ArgumentSource, index: number): ValueCondition | undefined {
  const form = CONDITION_FORMS.find(({ word }) => args.spellsAt(index, word));
  return form && { form, index: index + 1 };
}

const badDigest = new CommandError('ERR must be exactly 16 hexadecimal characters');

/** True when the string that `ref` holds meets the condition. */
export function meets(
  context: ShardContext,
  args: Arguments,
  ref: Ref,
  { form, index }: ValueCondition,
): boolean {
  const isSame = form.ofDigest
    ? hasDigest(context, args, ref, index)
    : sameAs(context, args, ref, index);
  return isSame === form.wantsSame;
}

/** From this length on, two views and a native comparison take less time than a loop. */
const LONG_BYTES = 512;

/** True when argument `index` has the bytes of the string that `ref` holds. */
export function sameAs(
  { keyspace }: ShardContext,
  args: Arguments,
  ref: Ref,
  index: number,
): boolean {
  const { bytes, at, length } = keyspace.value(ref);
  if (args.length(index) !== length) return false;
  if (length < LONG_BYTES) return sameBytes(args.source, args.at(index), bytes, at, length);
  return Buffer.compare(args.view(index), bytes.subarray(at, at + length)) === 0;
}

/** As in Redis, only the length of the argument is judged: other characters are those of no digest. */
function hasDigest({ keyspace }: ShardContext, args: Arguments, ref: Ref, index: number): boolean {
  if (args.length(index) !== DIGEST_CHARACTERS) throw badDigest;
  return args.latin1(index).toLowerCase() === digestText(keyspace.value(ref));
}

const DIGEST_CHARACTERS = 16;

function digestText({ bytes, at, length }: ReturnType<Keyspace['value']>): string {
  const digits = xxh3(bytes, at, length).toString(16);
  return digits.padStart(DIGEST_CHARACTERS, '0');
}

const digest = oneShard({
  name: 'DIGEST',
  summary: 'Returns the XXH3 hash of a string, as 16 hexadecimal digits.',
  since: '8.4.0',
  complexity: 'O(N) for a string of N bytes.',
  group: 'string',
  arity: 2,
  flags: ['readonly', 'fast'],
  keys: oneKey('RO', 'access'),
  args: [{ name: 'key', type: 'key' }],
  run(context, args) {
    const ref = findString(context, args, 1);
    if (ref === 0) {
      context.reply.nil();
      return;
    }
    context.reply.text(digestText(context.keyspace.value(ref)), 'latin1');
  },
});

export const stringDigests = [digest];
