/** ZSCAN: walks a sorted set in pieces. */

import { formatDouble, formatDoublePrecisely } from '#base';
import { elementScan, gatheredScratch } from '../elements/element-scan.ts';
import { sortedSetToRead } from './lookup.ts';

const zscan = elementScan(
  {
    name: 'ZSCAN',
    summary: 'Iterates over the members of a sorted set, a few with each call.',
    complexity: 'O(1) for each call, O(N) for the whole walk over N members.',
    group: 'sorted-set',
  },
  {
    find: sortedSetToRead,
    read(set) {
      set.read();
      return true;
    },
    gatherRest(set) {
      // Scores of large sorted sets have all their digits here, unlike everywhere else, as in Redis.
      const format = set.isPacked ? formatDouble : formatDoublePrecisely;
      const score = Buffer.from(format(set.score), 'latin1');
      gatheredScratch.add(score, 0, score.length);
    },
  },
);

export const sortedSetScanning = [zscan];
