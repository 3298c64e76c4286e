/** The slow log: collected by main, and read from shared memory while main cannot reply. */

import type { SlowlogDocument } from '#api-types';
import { decodeMessage, type PublishedAnswersMessage, SharedCounter } from '#link';
import { slowEntriesCall, type SlowEntry, slowReport } from '#stats';
import type { MainClient } from '../../ops/main-client.ts';
import type { OpsContext } from '../../ops/ops-context.ts';
import { HttpError } from '../../protocol/answer.ts';

/** Returns the newest `count` entries; those that the shards published last while main is stuck or late. */
export async function slowlogDocument(
  opsContext: OpsContext,
  mainClient: MainClient,
  count: number,
): Promise<SlowlogDocument> {
  try {
    return await mainClient.ask('slowlog', { count });
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 503) throw error;
    return publishedSlowlog(opsContext, count);
  }
}

function publishedSlowlog({ observer, live }: OpsContext, count: number): SlowlogDocument {
  const { main, memory, layout } = observer;
  const upcoming = new SharedCounter(memory, layout.slowIds).upcoming;
  const oldest = Math.max(main.get('slowFirstId'), upcoming - live.slowLogLengthMax);
  const shards = [...observer.shards.keys()];
  const entries = shards
    .flatMap((shard) => entriesOf(observer.publishedAnswers(shard)))
    .filter(({ id }) => id >= oldest)
    .sort((a, b) => b.id - a.id)
    .slice(0, count);
  return { entries: entries.map(slowReport), missing_shards: shards, main_missing: true };
}

/** Entries in the answers that a shard has published; none before the first. */
function entriesOf(published: Uint8Array | undefined): readonly SlowEntry[] {
  if (published === undefined) return [];
  const [, answers] = decodeMessage(published) as PublishedAnswersMessage;
  const body = answers[slowEntriesCall.name];
  // Answers that were too long for the memory are empty.
  return body === undefined || body.length === 0 ? [] : (decodeMessage(body) as SlowEntry[]);
}
