/**
 * `npm run differential [-- options] [family ...]`: random commands to this server and to a Redis,
 * until replies or what is left behind differ. Without a name: all families.
 *
 *   --commands N   commands per family, 1000000 unless told
 *   --seed N       the same commands again
 *   --redis FILE   the Redis to compare with, else the one in TEST_REDIS, else the one installed
 */
import { parseArgs } from 'node:util';
import { playFamily, startContest } from '../packages/server/e2e/differential/differential.ts';
import { families } from '../packages/server/e2e/differential/families/index.ts';

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
const unknown = positionals.filter((name) => !families.some((family) => family.name === name));
if (unknown.length > 0) {
  const known = families.map(({ name }) => name).join(', ');
  console.error(`no such family: ${unknown.join(', ')}; there are ${known}`);
  process.exit(1);
}

let failed = 0;
const contest = await startContest();
for (const family of families) {
  if (positionals.length > 0 && !positionals.includes(family.name)) continue;
  const startedMs = performance.now();
  const failure = await playFamily(contest, family, amount);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  if (failure === undefined) {
    console.log(`${family.name}: ${String(amount.commands)} commands agree, ${seconds} s`);
    continue;
  }
  failed += 1;
  console.log(`${family.name}, --seed ${String(amount.seed)}: ${failure}`);
}
await contest.stop();
process.exitCode = failed > 0 ? 1 : 0;
