#!/usr/bin/env node
/**
 * The server's executable: conditions that must hold before anything else is loaded. Node opens its debugger on
 * SIGUSR1, for any process of this machine, unless there is a listener for that signal. From here on the signal has no
 * effect; it would only be handled while Node itself starts, before this line.
 */

import { earlyOpsWorker } from '#main';
import { setV8Flags } from './v8-flags.ts';

process.on('SIGUSR1', () => undefined);

setV8Flags();

const ops = earlyOpsWorker();
void import('./program.ts').then(({ main }) => main(ops));
