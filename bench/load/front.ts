/** Cost of connections to main with front threads and without, beside Redis, and the memory of idle ones. */

import net from 'node:net';
import { once } from 'node:events';
import { type ChildServer, startRedis, startServer } from '#testkit';
import { roundByTurns, type Round, type RoundResult } from './rounds.ts';
import { residentBytes } from './thread-cpu.ts';

const IDLE_CONNECTIONS = 4_000;
/** Connections that are opened at a time: no more than wait to be accepted. */
const AT_ONCE = 200;

interface FrontFigures {
  /** Main's processor time per command beside that of Redis' main thread. */
  readonly mainRatio: number;
  /** Throughput beside Redis'. */
  readonly throughput: number;
  /** Processor microseconds per command of main, and of the whole process. */
  readonly mainUs: number;
  readonly processUs: number;
}

const shape = (fronts: number, shards: number): Promise<ChildServer> =>
  startServer({
    shards,
    args: [
      ...['--log-level', 'warn', '--set', 'persistence.enabled=no'],
      ...['--set', `server.front-threads=${String(fronts)}`],
    ],
  });

/** Plays each round against all three by turns; figures by round and by number of front threads. */
export async function frontFigures(
  rounds: readonly Round[],
  turns: number,
  shards: number,
  row: (cells: readonly (string | number)[]) => void,
): Promise<Record<string, unknown>> {
  const servers = new Map([
    ['none', await shape(0, shards)],
    ['one', await shape(1, shards)],
    ['redis', await startRedis()],
  ]);
  const table: Record<string, unknown> = {};
  row(['front threads', 'fronts', 'main/Redis', 'rps/Redis', 'main us', 'all us']);
  for (const round of rounds) {
    const results = [...(await roundByTurns(servers, round, turns)).values()];
    const [none, one, redis] = results as [RoundResult, RoundResult, RoundResult];
    const name = `${round.test} P=${String(round.pipeline)}`;
    const figures = [none, one].map((each) => figuresOf(each, redis));
    for (const [fronts, each] of figures.entries()) {
      const { mainRatio, throughput, mainUs, processUs } = each;
      row([name, String(fronts), mainRatio, throughput, mainUs, processUs]);
    }
    table[name] = figures;
  }
  for (const [name, server] of servers) {
    const bytes = await idleBytes(server);
    row([`idle, ${name}`, (bytes / 1_024).toFixed(1), 'KiB each']);
    table[`idle bytes, ${name}`] = bytes;
  }
  await Promise.all([...servers.values()].map((server) => server.stop()));
  return table;
}

function figuresOf(ours: RoundResult, theirs: RoundResult): FrontFigures {
  return {
    mainRatio: ours.mainUs / theirs.mainUs,
    throughput: ours.perSecond / theirs.perSecond,
    mainUs: ours.mainUs,
    processUs: ours.mainUs + ours.othersUs,
  };
}

/** Resident bytes of each of many connections that have sent a command and are idle. */
async function idleBytes({ port, pid }: ChildServer): Promise<number> {
  const before = residentBytes(pid);
  const sockets: net.Socket[] = [];
  while (sockets.length < IDLE_CONNECTIONS) {
    const some = Array.from({ length: AT_ONCE }, () => net.connect({ port, host: '127.0.0.1' }));
    await Promise.all(
      some.map(async (socket) => {
        await once(socket, 'connect');
        socket.write('PING\r\n');
        await once(socket, 'data');
      }),
    );
    sockets.push(...some);
  }
  const after = residentBytes(pid);
  for (const socket of sockets) socket.destroy();
  return (after - before) / IDLE_CONNECTIONS;
}
