export { bench } from './bench.ts';
export { runLoadThread, type LoadThreadData } from './engine/load-thread.ts';
export { readBenchOptions } from './options/bench-options.ts';
export { runLoad, type LoadResult } from './run/load-run.ts';
