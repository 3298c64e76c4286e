/** The disk thread: writes logs and snapshots. */

import { workerData } from 'node:worker_threads';
import { type DiskData, DiskThread } from '#persistence';

new DiskThread(workerData as DiskData).run();
