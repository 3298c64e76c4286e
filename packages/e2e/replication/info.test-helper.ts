/** INFO replication, and waiting for its values. */

import { readFileSync } from 'node:fs';
import { type ChildServer, type RespClient, textOf, until } from '#testkit';

/** Lines of a section of INFO by their names. */
export async function infoOf(
  client: RespClient,
  section = 'replication',
): Promise<Readonly<Record<string, string>>> {
  const text = textOf(await client.call('INFO', section));
  const lines = text.split('\r\n').filter((line) => line.includes(':'));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  );
}

/** Ends when the link of a replica is up. */
export async function untilLinked(replica: RespClient): Promise<void> {
  await until(
    async () => (await infoOf(replica))['master_link_status'] === 'up',
    'the link of the replica is up',
  );
}

/** Ends when a replica has applied all that its primary has written. */
export async function untilSame(primary: RespClient, replica: RespClient): Promise<void> {
  await untilLinked(replica);
  await until(async () => {
    const offset = (await infoOf(primary))['master_repl_offset'];
    return (await infoOf(replica))['slave_repl_offset'] === offset;
  }, 'the replica has applied all that the primary has written');
}

/** Stops a server's process until SIGCONT; returns once it is stopped. */
export async function freeze(server: ChildServer): Promise<void> {
  server.signal('SIGSTOP');
  const stat = `/proc/${server.pid}/stat`;
  await until(() => readFileSync(stat, 'latin1').includes(') T '), 'the server stands still');
}

/** Returns once a server has `replicas` replicas online. */
export async function untilOnline(primary: RespClient, replicas: number): Promise<void> {
  await until(async () => {
    const lines = Object.entries(await infoOf(primary)).filter(([name]) => /^slave\d+$/.test(name));
    return lines.filter(([, line]) => line.includes('state=online')).length === replicas;
  }, `${replicas} replicas are online`);
}
