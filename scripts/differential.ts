/**
 * `npm run differential [-- options] [family ...]`: random commands to this server and to a Redis,
 * until replies or what is left behind differ. Without a name: all families.
 *
 * Contests of several clients or servers are only played when they are named, and need a Redis of 7.2 or later:
 *
 *   clients        clients who wait for each other's keys, watch, track, listen and end, a move at a time
 *   waits          WAIT after any command of a client, with a replica that has acknowledged nothing of it
 *   chains         replicas of replicas, of both servers, with outages of their links
 *
 *   --commands N   commands per family, default 1000000
 *   --seed N       the same commands again
 *   --redis FILE   the Redis to compare with, else the one in TEST_REDIS, else the one installed
 */
import { families, groups, playFamily, startContest } from '#differential';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    commands: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
    redis: { type: 'string' },
  },
});
if (values.redis !== undefined) process.env['TEST_REDIS'] = values.redis;
const amount = { seed: Number(values.seed), commands: Number(values.commands) };
const names = [...families.map(({ name }) => name), ...groups.keys()];
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  const known = names.join(', ');
  console.error(`no such family: ${unknown.join(', ')}; there are ${known}`);
  process.exit(1);
}

let failed = 0;

async function report(name: string, played: () => Promise<string | undefined>): Promise<void> {
  const startedMs = performance.now();
  const failure = await played();
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  if (failure === undefined) {
    console.log(`${name}: ${String(amount.commands)} commands agree, ${seconds} s`);
    return;
  }
  failed += 1;
  console.log(`${name}, --seed ${String(amount.seed)}: ${failure}`);
}

const played = families.filter(
  ({ name }) => positionals.length === 0 || positionals.includes(name),
);
if (played.length > 0) {
  const contest = await startContest();
  for (const family of played) {
    await report(family.name, () => playFamily(contest, family, amount));
  }
  await contest.stop();
}
for (const [name, play] of groups) {
  if (positionals.includes(name)) await report(name, () => play(amount));
}
process.exitCode = failed > 0 ? 1 : 0;
