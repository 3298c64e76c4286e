/** A tier thread: keeps values that memory has no room for. */

import { parentPort, workerData } from 'node:worker_threads';
import { runTierThread, type TierThreadData } from '#tier';

void runTierThread(workerData as TierThreadData, (answer) => {
  parentPort?.postMessage(answer);
});
