/**
 * Servers that receive CONFIG SET appendonly under load, and are killed at random moments: a start finds the earlier
 * data, or all acknowledged writes, and nothing in between. TEST_KILLS is the number of kills in each mode (many of
 * them need TEST_LIMIT_SECS); TEST_SEED replays a load.
 */
// test-tier: long
import { chosenSeed, Random, ReplyError, type RespClient, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accountFaults, CrashLoad, isEnd, openAccounts } from './crash-load.ts';
import { keptServers, type KeptServer } from './kept-server.ts';

const switching = suite('switched under load and killed');

const KILLS = Number(process.env['TEST_KILLS'] ?? 1);
const SHARDS = 3;
const CONNECTIONS = 6;
const DEPTH = 6;
const OLD_KEYS = 40;
/** Keys that make the first snapshot take a while. */
const MANY_KEYS = 20_000;
const SWITCHES_MAX = 6;
/** Maximum number of round trips between the last switch and the kill: during the first snapshot, or after it. */
const PINGS_MAX = 150;

const QUIET = ['--set', 'snapshot.interval-secs=0'];
const OFF = [...QUIET, '--set', 'persistence.enabled=no'];

const newServer = keptServers(switching);

const keep = (client: RespClient, value: string): Promise<unknown> =>
  client.call('CONFIG', 'SET', 'appendonly', value);

async function pings(client: RespClient, random: Random): Promise<void> {
  for (let left = random.integer(0, PINGS_MAX); left > 0; left -= 1) await client.call('PING');
}

/** Runs the load until `done` says so, or the server has ended. */
function load(
  server: KeptServer,
  loads: readonly CrashLoad[],
  clients: readonly RespClient[],
): { readonly stop: () => Promise<void> } {
  let isDone = false;
  const run = async (each: CrashLoad, client: RespClient): Promise<void> => {
    try {
      while (!isDone) await each.step(client);
    } catch (error) {
      if (server.server.isRunning && !isEnd(error)) throw error;
    }
  };
  const all = Promise.all(
    loads.flatMap((each, nth) => Array.from({ length: DEPTH }, () => run(each, clients[nth]!))),
  );
  return {
    stop: async () => {
      isDone = true;
      await all;
    },
  };
}

async function fillMany(client: RespClient): Promise<void> {
  const value = 'x'.repeat(200);
  for (let from = 0; from < MANY_KEYS; from += 1_000) {
    await client.pipeline(
      Array.from({ length: 1_000 }, (_, nth) => ['SET', `many:${String(from + nth)}`, value]),
    );
  }
}

/** Leaves a folder with data of its own, of another number of shards. */
async function leaveOld(server: KeptServer, random: Random): Promise<void> {
  const client = await server.start({ shards: random.integer(1, 4), args: QUIET });
  for (let nth = 0; nth < OLD_KEYS; nth += 1) {
    await client.call('SET', `old:${String(nth)}`, nth);
    if (nth === OLD_KEYS / 2) await client.call('SAVE');
  }
  await server.stop();
}

async function kill(mode: string, random: Random, seed: number): Promise<void> {
  const server = newServer();
  await leaveOld(server, random);
  const args = [...OFF, '--set', `persistence.durability-mode=${mode}`];
  const client = await server.start({ shards: SHARDS, args });
  const loads = Array.from({ length: CONNECTIONS }, (_, id) => new CrashLoad(id, random));
  await openAccounts(client);
  for (const each of loads) await each.begin(client);
  await fillMany(client);
  const clients = await Promise.all(loads.map(() => server.server.client()));
  const running = load(server, loads, clients);
  let wasFounded = false;
  const look = async (): Promise<boolean> =>
    /log_awaits_snapshot:0/.test(textOf(await client.call('INFO', 'persistence')));
  for (let nth = random.integer(0, SWITCHES_MAX); nth > 0; nth -= 1) {
    await keep(client, 'yes');
    if (random.chance(0.5)) {
      await until(look, 'the first snapshot is on disk');
      wasFounded = true;
    } else {
      await pings(client, random);
      wasFounded ||= await look();
    }
    await keep(client, 'no');
  }
  await keep(client, 'yes');
  if (random.chance(0.4)) await until(look, 'the first snapshot is on disk');
  else await pings(client, random);
  const isFounded = await look();
  await pings(client, random);
  await server.kill();
  await running.stop();

  const again = await server.start({ shards: SHARDS, args: QUIET });
  const old = ((await again.call('KEYS', 'old:*')) as unknown[]).length;
  const many = ((await again.call('KEYS', 'many:*')) as unknown[]).length;
  const what = `mode ${mode}, TEST_SEED=${String(seed)}`;
  if (isFounded) {
    const faults = await accountFaults(again);
    for (const each of loads) faults.push(...(await each.faults(again, mode !== 'async')));
    assert.equal([old, many, faults], [0, MANY_KEYS, []], what);
  } else if (!wasFounded && old > 0) {
    assert.equal([old, many, await again.call('DBSIZE')], [OLD_KEYS, 0, OLD_KEYS], what);
  } else {
    // The kill came after the snapshot, or the folder is as it was when it was switched off.
    assert.equal([old, many, await accountFaults(again)], [0, MANY_KEYS, []], what);
  }
  assert.not.instance(await again.reply('SAVE'), ReplyError);
  await server.stop();
}

for (const mode of ['sync', 'periodic', 'async']) {
  switching(`${mode} mode (kills: ${String(KILLS)})`, async () => {
    const seed = chosenSeed();
    const random = new Random(seed);
    for (let nth = 0; nth < KILLS; nth += 1) await kill(mode, random, seed);
  });
}

switching.run();
