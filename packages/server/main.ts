#!/usr/bin/env node
/**
 * The server's executable: what must hold before anything else is loaded.
 *
 * Node opens its debugger on SIGUSR1, to whoever of this machine connects, unless somebody listens to that signal. From
 * here on it does nothing; only in the time that Node itself takes to start, before this line, would it still be heeded.
 */

import { setFlagsFromString } from 'node:v8';
import { earlyOpsWorker } from './threads/ops-worker.ts';

process.on('SIGUSR1', () => undefined);

/**
 * The data is not on V8's heaps, which are small: marking them is soon done. By other threads at the same time it takes
 * processors from the shards, and from itself: beside the copy of a large value, which makes garbage of pages, a command
 * waits 6 ms at the median of the longest waits, and 9 ms where marking is concurrent (two processors, two shards).
 */
setFlagsFromString('--no-concurrent-marking');

const ops = earlyOpsWorker();
const { main } = await import('./program.ts');
await main(ops);
