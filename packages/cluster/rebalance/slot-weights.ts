/** Weights of slots, asked of the node that has them. */

import { keySlot, SLOT_COUNT } from '#base';
import { ReplyError, type Reply } from '#resp';
import type { ReplyClient } from '#net';

/** Measure by which groups are made alike. */
export type Measure = 'keys' | 'memory' | 'load';

/** Field of CLUSTER SLOT-STATS with the measure. */
const FIELDS: Readonly<Record<Measure, string>> = {
  keys: 'key-count',
  memory: 'memory-bytes',
  load: 'cpu-usec',
};
const SCAN_COUNT = '10000';

/** Adds what the slots of a node weigh to the weights of all; throws where the node has no such figures. */
export async function addWeights(
  client: Pick<ReplyClient, 'call'>,
  measure: Measure,
  weights: Float64Array,
): Promise<void> {
  const statistics = await slotStatistics(client);
  if (statistics === undefined && measure !== 'keys') {
    throw new Error(`--by ${measure} needs CLUSTER SLOT-STATS, which the nodes do not have`);
  }
  if (statistics === undefined) await countKeys(client, weights);
  else takeFigures(statistics, measure, weights);
}

/** The reply to CLUSTER SLOT-STATS; undefined where the node does not know it. */
async function slotStatistics(
  client: Pick<ReplyClient, 'call'>,
): Promise<readonly Reply[] | undefined> {
  try {
    const reply = await client.call('CLUSTER', 'SLOT-STATS', 'SLOTSRANGE', '0', '16383');
    return Array.isArray(reply) ? (reply as readonly Reply[]) : undefined;
  } catch (error) {
    if (error instanceof ReplyError && /unknown subcommand/i.test(error.message)) return undefined;
    throw error;
  }
}

function takeFigures(rows: readonly Reply[], measure: Measure, weights: Float64Array): void {
  for (const row of rows) {
    const [slot, fields] = row as [number, readonly Reply[]];
    const at = fields.indexOf(FIELDS[measure]);
    if (at < 0) {
      throw new Error(`--by ${measure}: CLUSTER SLOT-STATS does not report ${FIELDS[measure]}`);
    }
    if (slot >= 0 && slot < SLOT_COUNT) weights[slot]! += Number(fields[at + 1]);
  }
}

/** Counts the keys of all slots in one walk through the keys of the node. */
async function countKeys(client: Pick<ReplyClient, 'call'>, weights: Float64Array): Promise<void> {
  let cursor = '0';
  do {
    const reply = (await client.call('SCAN', cursor, 'COUNT', SCAN_COUNT)) as [string, string[]];
    cursor = reply[0];
    for (const key of reply[1]) weights[keySlot(Buffer.from(key, 'latin1'), 0, key.length)]! += 1;
  } while (cursor !== '0');
}
