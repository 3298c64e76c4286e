/** HSCAN: walks a hash in pieces. */

import { oneShard } from '../definition.ts';
import { answerScan, elementCursor, fitsScan, gathered, readElementScan } from '../element-scan.ts';
import { oneKey } from '../keys.ts';
import { hashToRead } from './lookup.ts';

const hscan = oneShard({
  name: 'HSCAN',
  summary: 'Walks the fields of a hash, some with each call.',
  since: '2.8.0',
  complexity: 'O(1) for each call, O(N) for the whole walk over N fields.',
  group: 'hash',
  arity: -3,
  flags: ['readonly'],
  keys: oneKey('RO', 'access'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'cursor', type: 'integer' },
    { name: 'pattern', type: 'pattern', token: 'MATCH', optional: true },
    { name: 'count', type: 'integer', token: 'COUNT', optional: true },
    { name: 'novalues', type: 'pure-token', token: 'NOVALUES', optional: true },
  ],
  tips: ['nondeterministic_output'],
  run(context, args) {
    const cursor = elementCursor(args);
    const hash = hashToRead(context, args);
    gathered.clear();
    let next = 0;
    if (hash !== undefined) {
      const options = readElementScan(args, true);
      next = hash.scan(cursor, options.count, () => {
        if (hash.hasEnded(context.nowMs)) return;
        hash.readField();
        if (!fitsScan(options, hash.bytes, hash.at, hash.length)) return;
        gathered.add(hash.bytes, hash.at, hash.length);
        if (options.noValues) return;
        hash.readValue();
        gathered.add(hash.bytes, hash.at, hash.length);
      });
    }
    answerScan(context.reply, next);
  },
});

export const hashScanning = [hscan];
