/** Finds out which node is to be met. */

import type { Settings } from '#config';
import { ReplyConnection } from '#net';
import { commandBytes } from '#resp';
import type { Topology } from './agreement/topology.ts';
import { nodeLogin } from './messages/node-login.ts';

/** Longest wait for a node that is to be met. */
const MEET_MS_MAX = 2_000;

/** Returns the id of the node at an address, as registered or as reported by it; undefined if none replies. */
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

/** Asks the server at an address for its id: nodes may announce another address. */
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
