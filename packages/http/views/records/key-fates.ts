/**
 * Removed keys by reason. Counts and settings are read without other threads; the latest removals are kept by the
 * shards, which are requested through main, and shards that did not reply are listed.
 */

import { fateCounts } from '#stats';
import type { KeyFatesDocument } from '#api-types';
import { HttpError } from '../../protocol/answer.ts';
import type { Exchange } from '../../protocol/exchange.ts';
import type { RemovedKeysQuestion } from '../../ops/page-calls.ts';
import { bytesOf, countOf, numberBelow } from '../../protocol/query.ts';
import { countParameter, integer, string } from '../../protocol/parameters.ts';
import { documentRoute, type Route } from '../../protocol/route.ts';
import type { OpsContext } from '../../ops/ops-context.ts';

/** Removed keys answered when no count is given: as many as are kept by default. */
const COUNT = 128;

export interface KeyFatesSources {
  readonly observer: Pick<OpsContext['observer'], 'shards'>;
  readonly live: Pick<OpsContext['live'], 'keyFates'>;
  readonly mainClient: Pick<OpsContext['mainClient'], 'ask'>;
}

export async function keyFatesDocument(
  { observer, live, mainClient }: KeyFatesSources,
  question: RemovedKeysQuestion,
): Promise<KeyFatesDocument> {
  const { lengthMax, keepsOverwritten } = live.keyFates;
  const known = {
    recording: {
      enabled: lengthMax > 0,
      setting: 'keyfate.max-len',
      max_len: lengthMax,
      overwritten: keepsOverwritten,
      overwritten_setting: 'keyfate.overwritten',
    },
    counts: Object.fromEntries(fateCounts(observer.shards)),
  };
  try {
    const { removed_keys, kept, missing_shards } = await mainClient.ask('removed-keys', question);
    return { ...known, kept, removed_keys, missing_shards };
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return { ...known, kept: null, removed_keys: null, missing_shards: [] };
  }
}

export function keyFatesRoute(
  databases: number,
  document: (question: RemovedKeysQuestion) => Promise<KeyFatesDocument>,
): Route {
  return documentRoute(
    'key-fates',
    'Removed keys by reason: counts and the latest removals; ?count= (-1: all), ?key= and ?db= select one key.',
    (exchange) => document(questionOf(exchange, databases)),
    [
      countParameter(COUNT),
      string('key', 'Key, byte by byte in percent-encoding.'),
      integer('db', 'Database of the key; 0 by default.'),
    ],
  );
}

/** The filters of KEYFATE GET and KEYFATE KEY. */
function questionOf({ query, search }: Exchange, databases: number): RemovedKeysQuestion {
  const count = countOf(query, COUNT);
  const key = bytesOf(search, 'key');
  const db = numberBelow(query, 'db', databases);
  if (key !== undefined) return { count, of: { db, key } };
  if (query.has('db')) throw new HttpError(400, 'the parameter db requires the parameter key');
  return { count, of: null };
}
