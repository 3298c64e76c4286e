/** The logs of slow and large commands: collected by main, and read from shared memory while main cannot reply. */

import type { CommandLogKind } from '#base';
import type { SlowlogDocument } from '#api-types';
import { decodeMessage, type PublishedAnswersMessage, SharedCounter } from '#link';
import { commandLogCalls, FIRST_ID_COUNTERS, type SlowEntry, slowReport } from '#stats';
import type { MainClient } from '../../ops/main-client.ts';
import type { OpsContext } from '../../ops/ops-context.ts';
import { HttpError } from '../../protocol/answer.ts';

/** Returns the newest `count` entries of a log; those that the shards published last while main is stuck or late. */
export async function slowlogDocument(
  opsContext: OpsContext,
  mainClient: MainClient,
  kind: CommandLogKind,
  count: number,
): Promise<SlowlogDocument> {
  try {
    return await mainClient.ask('slowlog', { kind, count });
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 503) throw error;
    return publishedSlowlog(opsContext, kind, count);
  }
}

function publishedSlowlog(
  { observer, live }: OpsContext,
  kind: CommandLogKind,
  count: number,
): SlowlogDocument {
  const { main, memory, layout } = observer;
  const upcoming = new SharedCounter(memory, layout.logIds[kind]).upcoming;
  const oldest = Math.max(main.get(FIRST_ID_COUNTERS[kind]), upcoming - live.logLengthMax[kind]);
  const shards = [...observer.shards.keys()];
  const entries = shards
    .flatMap((shard) => entriesOf(kind, observer.publishedAnswers(shard)))
    .filter(({ id }) => id >= oldest)
    .sort((a, b) => b.id - a.id)
    .slice(0, count);
  return { kind, entries: entries.map(slowReport), missing_shards: shards, main_missing: true };
}

/** Entries in the answers that a shard has published; none before the first. */
function entriesOf(kind: CommandLogKind, published: Uint8Array | undefined): readonly SlowEntry[] {
  if (published === undefined) return [];
  const [, answers] = decodeMessage(published) as PublishedAnswersMessage;
  const body = answers[commandLogCalls[kind].entries.name];
  // Answers that were too long for the memory are empty.
  return body === undefined || body.length === 0 ? [] : (decodeMessage(body) as SlowEntry[]);
}
