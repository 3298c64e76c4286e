/** Errors of scripts and libraries that shards answer, in Redis' words. */

import { CommandError } from '#base';

export const scriptErrors = {
  denied: (denial: string) => new CommandError(`ERR ACL failure in script: ${denial}`),
  notCompiled: (reason: string) =>
    new CommandError(`ERR Error compiling script (new function): ${reason}`),
  libraryNotCompiled: (reason: string) =>
    new CommandError(`ERR Error compiling function: ${reason}`),
  notRegistered: (reason: string) => new CommandError(`ERR Error registering functions: ${reason}`),
  noCluster: new CommandError("ERR Can not run script on cluster, 'no-cluster' flag is set."),
  stale: new CommandError(
    "MASTERDOWN Link with MASTER is down, replica-serve-stale-data is set to 'no' and 'allow-stale' flag is not set on the script.",
  ),
  noFunctions: new CommandError('ERR No functions registered'),
  noFunction: new CommandError('ERR Function not found'),
  badKeyCount: new CommandError('ERR Bad number of keys provided'),
  libraryExists: (name: string) => new CommandError(`ERR Library '${name}' already exists`),
  /** Error of an existing library in the wording of FUNCTION RESTORE. */
  restoredExists: (name: string) => new CommandError(`ERR Library ${name} already exists`),
  functionExists: (name: string) => new CommandError(`ERR Function ${name} already exists`),
  /** The interpreter has failed: its memory has ended, or its stack. */
  broken: (reason: string) => new CommandError(`ERR Error running script: ${reason}`),
  /** Error that a script has raised, with its code. */
  raised: (text: string) => (text.startsWith('-') ? text.slice(1) : `ERR ${text}`),
} as const;
