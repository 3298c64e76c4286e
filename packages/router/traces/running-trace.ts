import type { Trace } from './trace.ts';

/** The traced command that main is executing: log lines written meanwhile contain its ids. */
export class RunningTrace {
  /** Undefined while main runs none, or one that is not traced. */
  trace: Trace | undefined;
}
