/** Piscina's task that writes the data of a folder for another number of shards. */

import { redistribute } from '#shard';

export const runRedistribution = redistribute;
