/** A shard's thread. */

import { workerData } from 'node:worker_threads';
import { runShardThread, type ShardThreadData } from '#shard';

runShardThread(workerData as ShardThreadData);
