/** The disk thread: writes logs and snapshots. */

import { workerData } from 'node:worker_threads';
import { DiskThread, type DiskData } from '#persistence';

new DiskThread(workerData as DiskData).run();
