import type { Trace } from './trace.ts';

/** The command that main is running, as far as it is traced: what is logged meanwhile has its ids. */
export class RunningTrace {
  /** Undefined while main runs none, or one that is not traced. */
  trace: Trace | undefined;
}
