/**
 * Several clients or servers, beside Redis: a short run of each contest; `npm run differential` plays longer.
 */
// test-tier: long
// test-limit: 300s
// test-again: TEST_COMMANDS=3000
import { chosenSeed, needs, redisProgram, startRedis, textOf } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groups } from './groups.ts';
import { versionOf } from './known.ts';

const contests = suite('differential, several clients or servers');

const COMMANDS = Number(process.env['TEST_COMMANDS'] ?? 240);
/** Earlier ones serve those who wait in another way. */
const REDIS_MIN = 70_200;

async function isComparable(): Promise<boolean> {
  const redis = await startRedis();
  const client = await redis.client();
  const version = versionOf(textOf(await client.call('INFO', 'server')));
  await redis.stop();
  if (version >= REDIS_MIN) return true;
  process.stdout.write('left out: needs a Redis of 7.2 or later\n');
  return false;
}

for (const [name, play] of groups) {
  contests(`${name}: as in Redis`, async () => {
    if (!(await isComparable())) return;
    const seed = chosenSeed();
    const failure = await play({ seed, commands: COMMANDS });
    assert.is(failure, undefined, `TEST_SEED=${String(seed)} brings this back: ${failure ?? ''}`);
  });
}

if (needs(redisProgram())) contests.run();
