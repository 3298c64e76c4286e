/** Update about the cluster that main publishes to the ops thread. */

import type { ClusterState } from '#api-types';
import type { Counts } from '../page/histogram.ts';

/** Durations of the calls of one kind to the coordinator, as a histogram. */
export interface CoordinatorTimes {
  readonly call: string;
  readonly counts: Counts;
  readonly sumUs: number;
}

export interface ClusterUpdate {
  readonly state: ClusterState;
  /** Histograms of calls; main sends those that have changed since its last update. */
  readonly times: readonly CoordinatorTimes[];
}
