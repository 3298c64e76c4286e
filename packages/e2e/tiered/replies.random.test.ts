/**
 * Random commands while values are spilled before each of them: the same replies as Redis. What is to be spilled is
 * asked for, since values as small as these would fit into any memory that has room for the commands.
 */
// test-tier: long
import { type Contest, families, playFamily, startContest } from '#differential';
import { chosenSeed, needs, redisProgram } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tieredArguments } from './tiered.test-helper.ts';

/** Every commit rolls others. */
const COMMANDS = 2_000;
/** Its users may not say DEBUG, and what they may not do is logged. */
const LOGS_REFUSALS = 'acl';

const replies = suite('replies of warm values');

let contest: Contest;

replies.before(async () => {
  const settings = { 'memory.maxmemory': '1gb', 'tiered.min-value-bytes': '16' };
  contest = await startContest(tieredArguments(settings));
  contest.deferred = ['DEBUG', 'SPILL'];
});
replies.after(async () => {
  await contest.stop();
});

async function figure(name: string): Promise<number> {
  const [info = ''] = await contest.ours.exchange([['INFO', 'everything']]);
  return Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
}

for (const family of families.filter(({ name }) => name !== LOGS_REFUSALS)) {
  replies(`${family.name} commands answer as Redis does`, async () => {
    const seed = chosenSeed();
    const failure = await playFamily(contest, family, { seed, commands: COMMANDS });
    assert.is(failure, undefined, `TEST_SEED=${seed} brings this back: ${failure ?? ''}`);
  });
}

replies('came from the disk', async () => {
  assert.ok((await figure('tiered_unspills')) > COMMANDS);
  assert.is(await figure('evicted_keys'), 0);
});

if (needs(redisProgram())) replies.run();
