/**
 * Servers that are killed at random moments under load, and restarted with their data. TEST_KILLS is the number of
 * kills in each mode (many of them need TEST_LIMIT_SECS), TEST_STEPS the maximum number of steps before each; TEST_SEED
 * replays a load.
 */
import { chosenSeed, Random, ReplyError, type RespClient, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accountFaults, CrashLoad, isEnd, openAccounts } from './crash-load.ts';
import { tiered, tieredArguments } from '../tiered/tiered.test-helper.ts';
import { keptServers, type KeptServer } from './kept-server.ts';

const crash = suite('killed under load');

const KILLS = Number(process.env['TEST_KILLS'] ?? 1);
/** The third can have a transaction of which the other two lack what it rests on. */
const SHARDS = 3;
const CONNECTIONS = 8;
/** Things that each connection has under way at a time. */
const DEPTH = 8;
const STEPS_MIN = 200;
/** The next round continues from the state of this one: the data grows with each. */
const STEPS_MAX = Number(process.env['TEST_STEPS'] ?? 1_500);
const SNAPSHOT_ROUNDS = 0.5;
/** Steps between two requests for a snapshot, in rounds that have some. */
const STEPS_PER_SNAPSHOT = 700;

/** Memory of the server with a tier: a part of what the load writes. */
const TIERED_BYTES = 2 ** 20;
/** Values that do not fit into `TIERED_BYTES` together. */
const FILLERS = 100;
const FILLER_LENGTH = 8_000;

const newServer = keptServers(crash);

/** Loads the server until it is killed. */
async function loadAndKill(
  server: KeptServer,
  loads: readonly CrashLoad[],
  random: Random,
): Promise<void> {
  const killAt = random.integer(STEPS_MIN, STEPS_MAX);
  const hasSnapshots = random.chance(SNAPSHOT_ROUNDS);
  const saver = await server.server.client();
  let steps = 0;
  const acked = (): void => {
    steps += 1;
    if (hasSnapshots && steps % STEPS_PER_SNAPSHOT === 1) {
      // One that is under way is no reason to wait; and the server may be killed before it answers.
      saver.reply('BGSAVE').catch(() => undefined);
    }
    if (steps !== killAt) return;
    server.server.signal('SIGKILL');
  };
  const run = async (load: CrashLoad, client: RespClient): Promise<void> => {
    try {
      for (;;) {
        await load.step(client);
        acked();
      }
    } catch (error) {
      // Before it is killed, no connection has a reason to end.
      if (steps < killAt || !isEnd(error)) throw error;
    }
  };
  const clients = await Promise.all(loads.map(() => server.server.client()));
  await Promise.all(
    loads.flatMap((load, nth) => Array.from({ length: DEPTH }, () => run(load, clients[nth]!))),
  );
  assert.ok(steps >= killAt, 'the server was killed, and did not end by itself');
  await server.server.ended;
}

/** Kills a server again and again; `keepsAcked` where what was acknowledged must be there, `look` sees what the last has left. */
async function kill(
  keepsAcked: boolean,
  args: readonly string[],
  look: (client: RespClient) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const seed = chosenSeed();
  const random = new Random(seed);
  const server = newServer();
  const options = { shards: SHARDS, args: ['--set', 'snapshot.interval-secs=0', ...args] };
  let client = await server.start({
    ...options,
    args: [...options.args, '--set', 'persistence.durability-mode=sync'],
  });
  const loads = Array.from({ length: CONNECTIONS }, (_, id) => new CrashLoad(id, random));
  await openAccounts(client);
  for (const load of loads) await load.begin(client);
  await server.kill();
  client = await server.start(options);
  for (let nth = 1; nth <= KILLS; nth += 1) {
    await loadAndKill(server, loads, random);
    client = await server.start(options);
    const faults = await accountFaults(client);
    for (const load of loads) faults.push(...(await load.faults(client, keepsAcked)));
    assert.equal(faults, [], `kill ${nth}, TEST_SEED=${seed}`);
  }
  await look(client);
  assert.not.instance(await client.reply('SAVE'), ReplyError);
  await server.stop();
}

crash(`sync mode: nothing that was acknowledged is lost (kills: ${KILLS})`, async () => {
  await kill(true, ['--set', 'persistence.durability-mode=sync']);
});

crash(`periodic mode: nothing that was acknowledged is lost (kills: ${KILLS})`, async () => {
  await kill(true, []);
});

crash(`async mode: nothing is there by halves (kills: ${KILLS})`, async () => {
  await kill(false, ['--set', 'persistence.durability-mode=async']);
});

crash(`with a warm tier nothing that was acknowledged is lost (kills: ${KILLS})`, async () => {
  const args = tieredArguments({ 'memory.maxmemory': String(TIERED_BYTES) });
  await kill(true, args, async (client) => {
    // What the load wrote before it was killed may fit into memory.
    for (let nth = 0; nth < FILLERS; nth += 1) {
      await client.call('SET', `filler:${nth}`, `${nth}:`.repeat(FILLER_LENGTH));
    }
    await until(async () => (await tiered(client, 'tiered_warm_keys')) > 0, 'values are warm');
  });
});

crash.run();
