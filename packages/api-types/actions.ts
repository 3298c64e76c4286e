/** Requests that change the server, their responses, and errors. */

import type { MonitorDocument, MonitorEnd, MonitorSelection } from './activity/monitor.ts';
import type { SettingCheck } from './settings.ts';

/** Body of every response with a status of 400 or more. */
export interface ErrorDocument {
  /** Text that programs may compare. */
  readonly error: string;
  /** Details for people. */
  readonly message?: string;
}

/** An object without fields. */
export type NoBody = Readonly<Record<string, never>>;

export interface ResetCommandLog {
  /** The slow log by default. */
  readonly kind?: 'slow' | 'large-request' | 'large-reply';
}

export interface ActionDone {
  readonly status: 'ok';
}

export interface LoginRequest {
  readonly token: string;
}

/** Either `id` or `ids`. */
export interface KillClients {
  readonly id?: number;
  /** From 1 to 1,000 ids. */
  readonly ids?: readonly number[];
}

export interface ClientsKilled extends ActionDone {
  /** Number of disconnected clients, if `ids` were given. */
  readonly killed?: number;
}

export interface KillScript {
  readonly shard: number;
  /** Number of the run in its shard, as `/debug/api/scripts` lists it. */
  readonly run: number;
}

export interface SettingChange {
  readonly name: string;
  /** As CONFIG SET takes it. */
  readonly value: string;
}

export interface SettingChecked extends ActionDone {
  readonly check: SettingCheck;
}

export interface HotKeysStart {
  /** Both by default. */
  readonly metrics?: readonly ('cpu' | 'net')[];
  /** Keys to find: 1 to 100, by default 10. */
  readonly count?: number;
  /** 0, the default: until it is stopped. */
  readonly duration_ms?: number;
  /** Sampling interval in commands: 1, the default, counts each of them. */
  readonly sample?: number;
}

export interface SnapshotStarted {
  readonly status: 'started';
}

export interface ShutdownStarted {
  readonly status: 'shutting_down';
}

/** Starts a monitor: fields that are absent have their defaults, or do not narrow the selection. */
export interface StartMonitor {
  readonly filter?: Partial<MonitorSelection>;
  /** 1 to 1,000. */
  readonly lines_per_sec?: number;
  /** At most 300,000. */
  readonly duration_ms?: number;
}

export interface MonitorLines {
  readonly id: string;
  /** Number of the last line that is known. */
  readonly after?: number;
}

export interface StopMonitor {
  readonly id: string;
  readonly by?: MonitorEnd;
}

export interface MonitorReply extends ActionDone, MonitorDocument {}
