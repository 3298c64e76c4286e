/** HGETALL, HKEYS and HVALS: all of a hash at once. */

import { oneShard, type OneShardCommand } from '../definition/definition.ts';
import { replyEach } from '../elements/entries.ts';
import { oneKey } from '../definition/keys.ts';
import { hashToRead } from './lookup.ts';

interface Kind {
  name: string;
  summary: string;
  hasFields: boolean;
  hasValues: boolean;
}

function whole({ name, summary, hasFields, hasValues }: Kind): OneShardCommand {
  return oneShard({
    name,
    summary,
    since: '2.0.0',
    complexity: 'O(N) for a hash of N fields.',
    group: 'hash',
    arity: 2,
    flags: ['readonly'],
    keys: oneKey('RO', 'access'),
    args: [{ name: 'key', type: 'key' }],
    tips: ['nondeterministic_output_order'],
    run(context, args) {
      const { reply, nowMs } = context;
      const hash = hashToRead(context, args);
      const count = hash?.liveCount(nowMs) ?? 0;
      if (hasFields && hasValues) reply.mapHeader(count);
      else reply.arrayHeader(count);
      if (hash === undefined) return;
      const pairs = hasFields && hasValues ? hash.pairs : undefined;
      if (pairs !== undefined) {
        replyEach(reply, pairs, 2 * count);
        return;
      }
      const { mayExpire } = hash;
      for (let more = hash.first(); more; more = hash.next()) {
        if (mayExpire && hash.hasEnded(nowMs)) continue;
        if (hasFields) {
          hash.readField();
          reply.bulk(hash.bytes, hash.at, hash.length, hash.view);
        }
        if (hasValues) {
          hash.readValue();
          reply.bulk(hash.bytes, hash.at, hash.length, hash.view);
        }
      }
    },
  });
}

const hgetall = whole({
  name: 'HGETALL',
  summary: 'Returns all fields of a hash with their values.',
  hasFields: true,
  hasValues: true,
});

const hkeys = whole({
  name: 'HKEYS',
  summary: 'Returns all fields of a hash.',
  hasFields: true,
  hasValues: false,
});

const hvals = whole({
  name: 'HVALS',
  summary: 'Returns all values of a hash.',
  hasFields: false,
  hasValues: true,
});

export const wholeHashes = [hgetall, hkeys, hvals];
