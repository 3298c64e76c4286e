/** ZSCAN: walks a sorted set in pieces. */

import { formatDouble, formatDoublePrecisely } from '#base';
import { oneShard } from '../definition.ts';
import { answerScan, elementCursor, fitsScan, gathered, readElementScan } from '../element-scan.ts';
import { oneKey } from '../keys.ts';
import { sortedSetToRead } from './lookup.ts';

const zscan = oneShard({
  name: 'ZSCAN',
  summary: 'Walks the members of a sorted set, some with each call.',
  since: '2.8.0',
  complexity: 'O(1) for each call, O(N) for the whole walk over N members.',
  group: 'sorted-set',
  arity: -3,
  flags: ['readonly'],
  keys: oneKey('RO', 'access'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'cursor', type: 'integer' },
    { name: 'pattern', type: 'pattern', token: 'MATCH', optional: true },
    { name: 'count', type: 'integer', token: 'COUNT', optional: true },
  ],
  tips: ['nondeterministic_output'],
  run(context, args) {
    const cursor = elementCursor(args);
    const set = sortedSetToRead(context, args);
    gathered.clear();
    let next = 0;
    if (set !== undefined) {
      const options = readElementScan(args);
      // Scores of large sorted sets have all their digits here, unlike everywhere else, as in Redis.
      const format = set.isPacked ? formatDouble : formatDoublePrecisely;
      next = set.scan(cursor, options.count, () => {
        set.read();
        if (!fitsScan(options, set.bytes, set.at, set.length)) return;
        gathered.add(set.bytes, set.at, set.length);
        const score = Buffer.from(format(set.score), 'latin1');
        gathered.add(score, 0, score.length);
      });
    }
    answerScan(context.reply, next);
  },
});

export const sortedSetScanning = [zscan];
