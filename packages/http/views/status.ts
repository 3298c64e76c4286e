/** The document of STATUS JSON, as the ops thread answers it: neither main nor a shard is needed for it. */

import { CAUSES } from '#stats';
import type { LimitFinding, StatusDocument } from '#api-types';
import { executingConnections, statusDocument } from '#observer';
import type { Access } from '../protocol/access.ts';
import { documentAt, type Route } from '../protocol/route.ts';
import type { OpsContext } from '../ops/ops-context.ts';

/** The ids of clients are asked of main, and left out when it is busy: the document must be quick. */
const CLIENT_IDS_MS_MAX = 20;

export async function currentStatus(opsContext: OpsContext): Promise<StatusDocument> {
  const ids = await clientIds(opsContext);
  const { clock, healthOptions } = opsContext;
  return statusDocument({
    ...healthOptions,
    nowUs: clock.nowUs(),
    wallMs: clock.wallMs(),
    clientId: (slot) => ids.get(slot) ?? null,
  });
}

async function clientIds({
  observer,
  mainClient,
  clock,
}: OpsContext): Promise<ReadonlyMap<number, number | null>> {
  const slots = executingConnections(observer, clock.nowUs());
  if (slots.length === 0) return new Map();
  try {
    const ids = await mainClient.ask('client-ids', slots, CLIENT_IDS_MS_MAX);
    return new Map(slots.map((slot, index) => [slot, ids[index] ?? null]));
  } catch {
    return new Map();
  }
}

export function statusRoutes(opsContext: OpsContext, access: Access): Route[] {
  return [
    {
      ...documentAt('/status/json', 'The status document of STATUS JSON.', async (exchange) => {
        const status = await currentStatus(opsContext);
        return access.isKnownHost(exchange) ? status : withoutKeys(status);
      }),
      isOpen: true,
    },
  ];
}

/** Returns the document for possible pages of other sites, without keys and names of scripts, which are user data. */
function withoutKeys(status: StatusDocument): StatusDocument {
  const shards = status.shards.map((shard) =>
    shard.executing === null
      ? shard
      : { ...shard, executing: { ...shard.executing, key: null, script: null } },
  );
  const limits = status.health.limited_by.map((finding) =>
    hasUserData(finding) ? withoutUserData(finding) : finding,
  );
  return { ...status, shards, health: { ...status.health, limited_by: limits } };
}

/** True for findings whose texts name keys or scripts. */
function hasUserData({ cause }: LimitFinding): boolean {
  return cause === 'key' || cause === 'command';
}

function withoutUserData(finding: LimitFinding): LimitFinding {
  const message = `limited by ${CAUSES[finding.cause].title}`;
  return { ...finding, object: null, message, advice: '', link: null };
}
