/** The ops thread: writes everybody's log records, and serves HTTP. Nobody waits for it. */

import { workerData } from 'node:worker_threads';
import { giveWay } from '#base';
import { OpsThread, type OpsData } from '#http';

// And with it the tasks that it starts: a thread begins with the priority of its maker.
giveWay();
new OpsThread(workerData as OpsData).run();
