/** A thread of `svc-server bench` that makes a load. */

import { parentPort, workerData } from 'node:worker_threads';
import { type LoadThreadData, runLoadThread } from '#load';

if (parentPort !== null) void runLoadThread(workerData as LoadThreadData, parentPort);
