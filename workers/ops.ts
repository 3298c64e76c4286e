/** The ops thread: writes the log records of all threads, and serves HTTP. No thread waits for it. */

import { parentPort } from 'node:worker_threads';
import { type OpsData, OpsThread } from '#http';

// Main starts this thread first of all, and knows only later what there is to do.
parentPort?.once('message', (data: OpsData) => {
  new OpsThread(data).run();
});
