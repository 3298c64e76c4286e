/** Finds out which node is to be met. */

import type { Settings } from '#config';
import { ReplyConnection } from '#net';
import { commandBytes } from '#resp';
import type { Topology } from './agreement/topology.ts';
import { nodeLogin } from './messages/node-login.ts';

/** Longest wait for a node that is to be met. */
const MEET_MS_MAX = 2_000;

/** The id of the node at an address, as it is registered or as it tells itself; undefined where none answers. */
export async function nodeIdAt(
  topology: Topology,
  host: string,
  port: number,
  settings: Settings,
): Promise<string | undefined> {
  for (const [id, node] of topology.nodes) {
    const isThere = node.host === host || node.hostname === host;
    if (isThere && (node.port === port || node.tlsPort === port)) return id;
  }
  return await askForId(host, port, settings);
}

/** Asks whoever answers at an address who it is: nodes may announce another. */
async function askForId(
  host: string,
  port: number,
  settings: Settings,
): Promise<string | undefined> {
  const connection = await ReplyConnection.open(host, port, MEET_MS_MAX);
  if (connection === undefined) return undefined;
  try {
    const login = nodeLogin(settings);
    if (login.length > 0) {
      await connection.write(commandBytes(login));
      await connection.reply();
    }
    await connection.write(commandBytes(['CLUSTER', 'MYID']));
    const answer = await connection.reply();
    if (answer.end !== undefined) return undefined;
    return typeof answer.reply === 'string' ? answer.reply : undefined;
  } finally {
    connection.close();
  }
}
