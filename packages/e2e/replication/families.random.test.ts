/**
 * Random commands of a third of the families, others for another seed, on svc: Redis' server as a replica has the same in the
 * end.
 */
// test-tier: long
import { expiresSoon, families, makeEpisode, type Words } from '#differential';
import {
  chosenSeed,
  everyThird,
  needs,
  Random,
  redisProgram,
  type RespClient,
  startServer,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { untilLinked } from './info.test-helper.ts';
import { AT_ONCE, caughtUp, differences, startReplica } from './replicas.test-helper.ts';

const replicas = suite('Redis as a replica, family by family');

const SHARDS = 3;
const COMMANDS = 800;
const CLIENTS = 3;
/** Commands that stand in one transaction, where they do. */
const TRANSACTION_MAX = 6;
const TRANSACTIONS = 0.2;
/** Commands that Redis has since 7.4, or 8: an older replica cannot do what they did. */
const FIELDS_END = /^H(P?EXPIRE(AT)?|PERSIST|GETEX|SETEX)$/i;

/** Sends the commands, some of them as transactions. */
async function play(client: RespClient, commands: readonly Words[], random: Random): Promise<void> {
  const sent: Promise<unknown>[] = [];
  for (let at = 0; at < commands.length;) {
    const count = random.chance(TRANSACTIONS) ? random.integer(2, TRANSACTION_MAX) : 1;
    if (count > 1) sent.push(client.reply('MULTI'));
    for (const words of commands.slice(at, at + count)) {
      sent.push(client.reply(...words.map((word) => Buffer.from(word, 'latin1'))));
    }
    if (count > 1) sent.push(client.reply('EXEC'));
    at += count;
  }
  await Promise.all(sent);
}

async function knowsFieldExpiry(replica: RespClient): Promise<boolean> {
  const [entry] = (await replica.call('COMMAND', 'INFO', 'HPEXPIREAT')) as unknown[];
  return entry !== null;
}

const seed = chosenSeed();
for (const family of needs(redisProgram()) ? everyThird(families, seed) : []) {
  replicas(`${family.name} commands`, async () => {
    const random = new Random(seed);
    const server = await startServer({ shards: SHARDS, args: AT_ONCE });
    const replica = await startReplica(server);
    try {
      const clients = await Promise.all(Array.from({ length: CLIENTS }, () => server.client()));
      const reader = await replica.client();
      const { settings, steps } = makeEpisode(family, random, COMMANDS);
      for (const [name, value] of settings) {
        await clients[0]!.call('CONFIG', 'SET', name, value);
        // How long a hyperloglog is sparse is for each server to decide. An older one lacks some settings.
        await reader.reply('CONFIG', 'SET', name, value);
      }
      const mayEnd = await knowsFieldExpiry(reader);
      const commands = steps
        .flat()
        .map(({ words }) => words)
        .filter((words) => !expiresSoon(words) && (mayEnd || !FIELDS_END.test(words[0]!)));
      const shareOf = (nth: number): Words[] => commands.filter((_, at) => at % CLIENTS === nth);
      await Promise.all(clients.map((client, nth) => play(client, shareOf(nth), random)));
      await untilLinked(reader);
      // A client of the episode may be within a transaction that it has never ended.
      await caughtUp(await server.client(), 1);
      assert.equal(await differences(server, replica), [], `TEST_SEED=${seed} brings this back`);
    } finally {
      await replica.stop();
      await server.stop();
    }
  });
}

replicas.run();
