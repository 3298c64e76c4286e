/** HRANDFIELD: fields by chance. */

import { errors } from '#base';
import type { HashValue } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard } from '../definition/definition.ts';
import { demandRepeatable, elementCount } from '../elements/element-count.ts';
import { drawDistinct } from '../elements/distinct-draw.ts';
import { oneKey } from '../definition/keys.ts';
import { dropEnded, hashToRead } from './lookup.ts';

const hrandfield = oneShard({
  name: 'HRANDFIELD',
  summary: 'Returns one or more random fields of a hash.',
  since: '6.2.0',
  complexity: 'O(N) for N fields in the reply.',
  group: 'hash',
  arity: -2,
  flags: ['readonly'],
  keys: oneKey('RO', 'access'),
  args: [
    { name: 'key', type: 'key' },
    {
      name: 'options',
      type: 'block',
      optional: true,
      arguments: [
        { name: 'count', type: 'integer' },
        { name: 'withvalues', type: 'pure-token', token: 'WITHVALUES', optional: true },
      ],
    },
  ],
  tips: ['nondeterministic_output'],
  run(context, args) {
    if (args.count > 2) answerSeveral(context, args);
    else answerOne(context, args);
  },
});

export const hashDrawing = [hrandfield];

/** Half of what 64 bits hold: the reply has two strings for each field. */
const PAIRS_MAX = 2 ** 62;

function answerOne(context: ShardContext, args: Arguments): void {
  const hash = hashToRead(context, args);
  if (hash === undefined || !dropEnded(context, args)) {
    context.reply.nil();
    return;
  }
  hash.draw(() => context.random());
  hash.readField();
  context.reply.bulk(hash.bytes, hash.at, hash.length, hash.view);
}

function answerSeveral(context: ShardContext, args: Arguments): void {
  const { reply } = context;
  const wanted = elementCount(args, 2);
  const withValues = args.count > 3;
  if (withValues && (args.count > 4 || !args.spellsAt(3, 'WITHVALUES'))) throw errors.syntax;
  if (withValues && Math.abs(wanted) >= PAIRS_MAX) throw errors.outOfRange;
  const hash = hashToRead(context, args);
  const isThere = hash !== undefined && dropEnded(context, args);
  if (!isThere || wanted === 0) {
    reply.arrayHeader(0);
    return;
  }
  if (wanted < 0) demandRepeatable(wanted);
  const count = wanted < 0 ? -wanted : Math.min(wanted, hash.count);
  reply.arrayHeader(withValues && reply.protocol === 2 ? count * 2 : count);
  const random = (): number => context.random();
  const write = (): void => writeCurrent(context, hash, withValues);
  if (wanted > 0) {
    drawDistinct(hash, count, random, write);
    return;
  }
  for (let nth = 0; nth < count; nth += 1) {
    hash.draw(random);
    write();
  }
}

function writeCurrent({ reply }: ShardContext, hash: HashValue, withValues: boolean): void {
  if (withValues && reply.protocol === 3) reply.arrayHeader(2);
  hash.readField();
  reply.bulk(hash.bytes, hash.at, hash.length, hash.view);
  if (!withValues) return;
  hash.readValue();
  reply.bulk(hash.bytes, hash.at, hash.length, hash.view);
}
