/** HSCAN: walks a hash in pieces. */

import { elementScan, gatheredScratch } from '../elements/element-scan.ts';
import { hashToRead } from './lookup.ts';

const hscan = elementScan(
  {
    name: 'HSCAN',
    summary: 'Iterates over the fields of a hash, a few with each call.',
    complexity: 'O(1) for each call, O(N) for the whole walk over N fields.',
    group: 'hash',
  },
  {
    find: hashToRead,
    knowsNoValues: true,
    read(hash, context) {
      if (hash.hasEnded(context.nowMs)) return false;
      hash.readField();
      return true;
    },
    gatherRest(hash) {
      hash.readValue();
      gatheredScratch.add(hash.bytes, hash.at, hash.length);
    },
  },
);

export const hashScanning = [hscan];
