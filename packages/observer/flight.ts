/** Recent events of all threads, in the order of time. No thread is asked. */

import {
  CLUSTER_EVENTS,
  FAILOVER_KINDS,
  FLIGHT_KINDS,
  type FlightField,
  type FlightKind,
  GC_KINDS,
  PRIMARY_LINK_STATES,
  REPLICA_STATES,
  ROLES,
  SYNC_REASON_NAMES,
} from '#stats';
import type { FlightEntry, FlightReport } from '#api-types';
import type { RecordedEvent } from '#link';
import type { Observer } from './observer.ts';

interface FlightQuestion {
  /** All threads without it. */
  readonly thread?: string | undefined;
  /** Number of the latest events. */
  readonly count: number;
}

type Found = RecordedEvent & { readonly thread: string };

export function flightReport(
  observer: Observer,
  { thread: wanted, count }: FlightQuestion,
): FlightReport {
  const chosen = observer.recorders.filter(([thread]) => wanted === undefined || thread === wanted);
  const read = chosen.map(([thread, ring]) => {
    // Threads continue recording: both figures are of one moment.
    const { recorded } = ring;
    return { thread, recorded, events: ring.read(recorded) };
  });
  const all = read.flatMap(({ thread, events }) =>
    events.map((event): Found => ({ ...event, thread })),
  );
  all.sort((a, b) => a.timeUs - b.timeUs);
  return {
    threads: read.map(({ thread, recorded, events }) => ({
      thread,
      recorded,
      kept: events.length,
    })),
    entries: all.slice(Math.max(0, all.length - count)).map((found) => entryOf(observer, found)),
  };
}

function entryOf(observer: Observer, found: Found): FlightEntry {
  const { event, fields }: FlightKind = FLIGHT_KINDS[found.kind]!;
  return {
    time_us: Math.round(observer.unixZeroUs + found.timeUs),
    thread: found.thread,
    event,
    ...Object.fromEntries(
      fields.map((field, index) => [field.name, shown(observer, field, found.numbers[index]!)]),
    ),
  };
}

function shown(observer: Observer, { of }: FlightField, value: number): number | string | null {
  if (of === undefined) return Number.isNaN(value) ? null : Math.round(value * 100) / 100;
  const names = {
    command: observer.commandNames,
    setting: observer.settingNames,
    collection: GC_KINDS.map(({ kind }) => kind),
    'replica-state': REPLICA_STATES,
    'primary-link-state': PRIMARY_LINK_STATES,
    'sync-reason': SYNC_REASON_NAMES,
    role: ROLES,
    'cluster-event': CLUSTER_EVENTS,
    'failover-reason': FAILOVER_KINDS,
  };
  return names[of][value] ?? null;
}
