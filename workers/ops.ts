/** The ops thread: writes everybody's log records, and serves HTTP. Nobody waits for it. */

import { workerData } from 'node:worker_threads';
import { OpsThread, type OpsData } from '#http';

new OpsThread(workerData as OpsData).run();
