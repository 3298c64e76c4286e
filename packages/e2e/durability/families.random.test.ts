/**
 * Random commands of a third of the families, others for another seed: their changes are there after the server was killed, to
 * the last byte.
 */
// test-tier: long
import { expiresSoon, families, makeEpisode, type Words } from '#differential';
import { chosenSeed, everyThird, Random, type RespClient } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { differences, keptServers, stateOf } from './kept-server.ts';

const kept = suite('what was done, after a kill');

const COMMANDS = 800;
/** Options with which everything acknowledged is on disk. */
const SYNC = [
  ...['--set', 'snapshot.interval-secs=0'],
  ...['--set', 'persistence.durability-mode=sync'],
];
/** Commands that stand in one transaction, where they do. */
const TRANSACTION_MAX = 6;
const TRANSACTIONS = 0.15;

const newServer = keptServers(kept);

/** Sends the commands, some of them as transactions, and saves once in between. */
async function play(client: RespClient, commands: readonly Words[], random: Random): Promise<void> {
  const saveAt = random.integer(0, commands.length - 1);
  const sent: Promise<unknown>[] = [];
  for (let at = 0; at < commands.length;) {
    const count = random.chance(TRANSACTIONS) ? random.integer(2, TRANSACTION_MAX) : 1;
    const some = commands.slice(at, at + count);
    if (count > 1) sent.push(client.reply('MULTI'));
    for (const words of some) sent.push(client.reply(...bytesOf(words)));
    if (count > 1) sent.push(client.reply('EXEC'));
    if (at <= saveAt && saveAt < at + count) sent.push(client.reply('BGSAVE'));
    at += count;
  }
  await Promise.all(sent);
}

function bytesOf(words: Words): Buffer[] {
  return words.map((word) => Buffer.from(word, 'latin1'));
}

const seed = chosenSeed();
for (const family of everyThird(families, seed)) {
  kept(`${family.name} commands`, async () => {
    const random = new Random(seed);
    const server = newServer();
    const client = await server.start({ args: SYNC });
    const { settings, steps } = makeEpisode(family, random, COMMANDS);
    for (const [name, value] of settings) {
      // It decides on the bytes of a value, and the server that comes after has its default.
      if (name !== 'hll-sparse-max-bytes') await client.call('CONFIG', 'SET', name, value);
    }
    const commands = steps
      .flat()
      .map(({ words }) => words)
      .filter((words) => !expiresSoon(words));
    await play(client, commands, random);
    const before = await stateOf(client);
    await client.call('DEBUG', 'LOADAOF');
    const read = differences(before, await stateOf(client));
    assert.equal(read, [], `TEST_SEED=${seed} brings this back: DEBUG LOADAOF`);
    await server.kill();
    const after = await stateOf(await server.start());
    assert.equal(differences(before, after), [], `TEST_SEED=${seed} brings this back`);
    await server.kill();
  });
}

kept.run();
