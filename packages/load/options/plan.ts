/** A load as plain data, which is sent to the threads that make it. */

import type { ServerPlace } from '#net';
import type { KeyOrder } from '../requests/key-numbers.ts';
import type { WeightedCommand } from '../requests/mix.ts';
import type { ValueSizes } from '../requests/value-sizes.ts';

/** The way to a server. */
export interface Target {
  readonly place: ServerPlace;
  /** Words of AUTH after its name; empty without a login. */
  readonly login: readonly string[];
  readonly resp: 2 | 3;
  readonly isCluster: boolean;
}

/** Place to ask for metrics. */
export interface MetricsPlace {
  readonly host: string;
  readonly port: number;
  /** Token of HTTP; empty for none. */
  readonly token: string;
}

export interface LoadPlan {
  readonly target: Target;
  readonly commands: readonly WeightedCommand[];
  readonly keys: number;
  readonly order: KeyOrder;
  readonly elements: number;
  readonly sizes: ValueSizes;
  readonly seed: number;
  readonly connections: number;
  readonly threads: number;
  /** Requests that a connection has under way at most. */
  readonly pipeline: number;
  /** Requests per second of all threads; 0 for a closed loop, in which each reply causes the next request. */
  readonly rate: number;
  /** Requests of all threads; 0 for no limit. */
  readonly requests: number;
  /** Seconds after the warm-up; 0 for no limit. */
  readonly seconds: number;
  readonly warmupSeconds: number;
}
