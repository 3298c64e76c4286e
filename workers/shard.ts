/** A shard's thread. */

import { workerData } from 'node:worker_threads';
import { runShardThread, type ShardThreadData } from '#shard';

void runShardThread(workerData as ShardThreadData);
