/** Waiting for states that a server reports. */

import type { RespClient } from '../clients/resp-client.ts';
import { textOf } from '../clients/resp-parser.ts';
import { until } from '../until.ts';

interface ShardState {
  readonly executing: { readonly command: string } | null;
}

/** Resolves when every shard is in DEBUG SLEEP, which the status shows without asking them. */
export async function untilShardsSleep(client: RespClient): Promise<void> {
  await until(async () => {
    const { shards } = JSON.parse(textOf(await client.call('STATUS', 'JSON'))) as {
      shards: readonly ShardState[];
    };
    return shards.every(({ executing }) => executing?.command === 'debug|sleep');
  }, 'every shard sleeps');
}

/** Resolves when the server's own clock has advanced by `ms`: for effects that only depend on time. */
export async function letTimePass(client: RespClient, ms: number): Promise<void> {
  const beganMs = await unixMs(client);
  await until(async () => (await unixMs(client)) >= beganMs + ms, `${ms} ms are over`);
}

async function unixMs(client: RespClient): Promise<number> {
  const [seconds, us] = ((await client.call('TIME')) as string[]).map(Number);
  return seconds! * 1_000 + us! / 1_000;
}
