/** Facts and limits that health is judged by. */

import type { JudgedIssue } from '../issues/report.ts';

/** The settings `status.*`. */
export interface HealthLimits {
  readonly memoryWarningPercent: number;
  readonly connectionWarningPercent: number;
  readonly durabilityLagWarningMs: number;
  readonly durabilityLagCriticalMs: number;
  readonly replicationLagWarningMs: number;
  readonly queueWarningMs: number;
  readonly executionWarningMs: number;
  readonly diskFreeWarningPercent: number;
  readonly certificateWarningDays: number;
}

/** Facts that health is judged by. */
export interface Vitals {
  readonly isReady: boolean;
  readonly usedBytes: number;
  /** 0: no limit. */
  readonly limitBytes: number;
  /** Full memory makes room by itself: it has an eviction policy. */
  readonly evicts: boolean;
  /** Fault of the disk of the warm tier. */
  readonly tierFault: string;
  readonly connected: number;
  readonly maxClients: number;
  readonly durabilityLagMs: number;
  /** Shard with that lag. */
  readonly durabilityLagShard: number;
  /** Reason why writes do not reach the disk, if they do not. */
  readonly persistenceError: string | null;
  /** Outcome of the last snapshot; where it has failed, writes may be refused until one succeeds. */
  readonly lastSave: 'fine' | 'failed' | 'refuses writes';
  /** Age of a snapshot that is overdue, and its limit; null unless it is. */
  readonly oldSnapshot: { readonly ageMs: number; readonly limitMs: number } | null;
  /** Data that the start could not bring back, if any. */
  readonly recoveryLoss: string | null;
  /** Milliseconds until the certificate of client connections ends; null without TLS. */
  readonly certificateMs: number | null;
  /** Replicas that are connected, and the most that were at once since the first. */
  readonly replicas: number;
  readonly replicasSeen: number;
  /** Writes are refused for want of replicas. */
  readonly lacksReplicas: boolean;
  /** Milliseconds for which a replica has had no link to its primary; null with one, and on a primary. */
  readonly linkDownMs: number | null;
  /** Milliseconds for which the oldest byte of the primary's stream that is not applied has waited; 0 on a primary. */
  readonly unappliedMs: number;
  /** Failure of a command of the primary's stream; null where there was none lately. */
  readonly streamFault: StreamFaultDetails | null;
  /** Milliseconds for which the slowest replica has been behind. */
  readonly replicaLagMs: number;
  /** Activity of main if it is stuck, in words. */
  readonly mainStandstill: string | null;
  /** Stuck front threads, each as a sentence. */
  readonly stuckFronts: readonly string[];
  /** Issues of the cluster; none where the server is in none. */
  readonly clusterIssues: readonly JudgedIssue[];
  /** Stuck shards, each with its activity as a phrase. */
  readonly stuck: readonly { readonly shard: number; readonly doing: string }[];
  /** Issues of the last seconds, as the ops thread publishes them. */
  readonly recentIssues: readonly JudgedIssue[];
}

/** Last command of a primary's stream that a replica could not run. */
interface StreamFaultDetails {
  readonly agoMs: number;
  /** No full synchronisation has ended since. */
  readonly differs: boolean;
}
