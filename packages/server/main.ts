#!/usr/bin/env node
/**
 * The server's executable: what must hold before anything else is loaded.
 *
 * Node opens its debugger on SIGUSR1, to whoever of this machine connects, unless somebody listens to that signal. From
 * here on it does nothing; only in the time that Node itself takes to start, before this line, would it still be heeded.
 */

import { earlyOpsWorker } from '#main';
import { setV8Flags } from './v8-flags.ts';

process.on('SIGUSR1', () => undefined);

setV8Flags();

const ops = earlyOpsWorker();
void import('./program.ts').then(({ main }) => main(ops));
