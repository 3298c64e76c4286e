/** A shard's thread. */

import { workerData } from 'node:worker_threads';
import { runShardThread, type ShardThreadData } from '#shard';

await runShardThread(workerData as ShardThreadData);
