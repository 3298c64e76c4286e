/** A front thread: moves the bytes of connections. */

import { parentPort, workerData } from 'node:worker_threads';
import { type FrontThreadData, runFrontThread } from '#net';

if (parentPort !== null) void runFrontThread(workerData as FrontThreadData, parentPort);
