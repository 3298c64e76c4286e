/** The flight recorder over HTTP. It is read from shared memory: no thread is asked, however stuck it is. */

import { FLIGHT_KINDS } from '#stats';
import type { FlightDocument, FlightReport } from '#api-types';
import { HttpError } from '../../protocol/answer.ts';
import { countOf } from '../../protocol/query.ts';
import { countParameter, string } from '../../protocol/parameters.ts';
import { documentRoute, type Route } from '../../protocol/route.ts';

interface FlightRoutesOptions {
  /** `main`, `shard-0` and so on, `ops`. */
  readonly threads: readonly string[];
  readonly document: (count: number, thread: string | undefined) => FlightDocument;
}

export function flightRoutes({ threads, document }: FlightRoutesOptions): Route[] {
  return [
    documentRoute(
      'flight-recorder',
      'Notable events of each thread; ?count= limits the number, ?thread= or ?shard= selects one thread.',
      ({ query }) => document(countOf(query), threadOf(query, threads)),
      [
        countParameter('all'),
        string('thread', 'Thread: main, ops, shard-0 and so on, or the number of a shard.'),
        string('shard', 'Number of a shard, in place of a thread.'),
      ],
    ),
    documentRoute(
      'flight-recorder/kinds',
      'Kinds of events of the flight recorder, with the condition of each.',
      () => ({ kinds: FLIGHT_KINDS.map(({ event, about }) => ({ event, about })) }),
    ),
  ];
}

/** Returns the recorded events, with the names of the debug API. */
export function flightDocument({ threads, entries }: FlightReport): FlightDocument {
  return {
    threads,
    entries: entries.map(({ time_us: timeUs, ...rest }) => ({ time_ms: timeUs / 1_000, ...rest })),
  };
}

/** The thread that is asked for, named as DEBUG FLIGHT-RECORDER takes it; nothing for all. */
function threadOf(query: URLSearchParams, threads: readonly string[]): string | undefined {
  const thread = query.get('thread');
  const shard = query.get('shard');
  if (thread !== null && shard !== null) throw new HttpError(400, 'use thread or shard, not both');
  const word = (thread ?? shard)?.toLowerCase();
  if (word === undefined) return undefined;
  const name = /^\d{1,9}$/.test(word) ? `shard-${Number(word)}` : word;
  const known = shard === null ? threads : threads.filter((each) => each.startsWith('shard-'));
  if (known.includes(name)) return name;
  const last = threads.filter((each) => each.startsWith('shard-')).length - 1;
  throw new HttpError(
    400,
    shard === null
      ? `thread must be main, ops or the number of a shard, 0 to ${last}`
      : `shard must be a whole number from 0 to ${last}`,
  );
}
