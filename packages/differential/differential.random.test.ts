/**
 * Equal random commands to this server and to a Redis: replies and resulting data are equal. `npm run differential`
 * plays longer.
 */
// test-again: TEST_COMMANDS=6000
import { chosenSeed, needs, redisProgram } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Contest } from './contest.ts';
import { playFamily, startContest } from './differential.ts';
import { families } from './families/index.ts';

const differential = suite('differential');

/** Commands of each family; every commit rolls others. */
const COMMANDS = Number(process.env['TEST_COMMANDS'] ?? 600);

let contest: Contest;

differential.before(async () => {
  contest = await startContest();
});
differential.after(async () => {
  await contest.stop();
});

for (const family of families) {
  differential(`${family.name} commands answer as Redis does`, async () => {
    const seed = chosenSeed();
    const failure = await playFamily(contest, family, { seed, commands: COMMANDS });
    assert.is(failure, undefined, `TEST_SEED=${seed} brings this back: ${failure ?? ''}`);
  });
}

if (needs(redisProgram())) differential.run();
