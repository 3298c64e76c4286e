/**
 * Nodes and members of an etcd as processes under faults and load: no write that WAIT has confirmed is lost, no data
 * exists that was not written, registers are what they promise, and no two primaries acknowledge writes of one slot.
 * TEST_EVENTS says how many faults (TEST_LIMIT_SECS gives many of them time), TEST_FAULTS which of them, by names with
 * commas: TEST_FAULTS=kill kills primaries alone. TEST_GROUPS says how many groups of two nodes. TEST_SEED draws the
 * same faults. Clocks do not jump here, which needs the program faketime; leases go by the monotonic clock.
 */
// test-tier: long
import { needs, type Random, withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FaultCluster } from './fault-cluster.test-helper.ts';
import { faults, type Stage } from './fault-events.test-helper.ts';
import { finalFaults } from './final-state.test-helper.ts';
import { Load } from './load.test-helper.ts';

const underFaults = suite('a cluster under faults');

const EVENTS = Number(process.env['TEST_EVENTS'] ?? 6);
const GROUPS = Number(process.env['TEST_GROUPS'] ?? 3);
const NAMES = process.env['TEST_FAULTS']?.split(',') ?? Object.keys(faults);
/** Share of faults behind which the cluster has time to come to itself; the others come upon one another. */
const RESTS = 0.6;
const FAULTS_SHOWN_MAX = 20;

async function disturb(stage: Stage): Promise<void> {
  const { cluster, random } = stage;
  const choices = NAMES.map((name) => {
    const choice = faults[name];
    assert.ok(choice, `there is no fault ${name}, but ${Object.keys(faults).join(', ')}`);
    return [choice[0], [name, choice[1]]] as const;
  });
  for (let nth = 0; nth < EVENTS; nth += 1) {
    const [name, fault] = random.weighted(choices);
    stage.events.push(name);
    process.stdout.write(`fault ${nth + 1} of ${EVENTS}: ${name}\n`);
    await fault(stage);
    if (random.chance(RESTS)) await cluster.isWhole();
  }
}

function report({ load, takeovers, events, answers }: Stage): void {
  const { sets, registers, ownership } = load;
  const operations = [...registers.values()].reduce((sum, each) => sum + each.confirmedCount, 0);
  const lines = [
    `faults: ${events.length}; ${answers.join(', ')}`,
    `members of sets: ${sets.count('confirmed')} confirmed, ${sets.count('perhaps')} perhaps, ${sets.count('refused')} refused`,
    `registers: ${registers.size}, with ${operations} confirmed operations; ${ownership.count} acknowledgements to probes`,
  ];
  if (takeovers.length > 0) {
    const sorted = takeovers.toSorted((a, b) => a - b).map((ms) => Math.round(ms));
    const median = sorted[Math.floor(sorted.length / 2)];
    lines.push(
      `primaries killed: ${sorted.length}; ms to the first write: median ${median}, longest ${sorted.at(-1)}`,
    );
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}

function showOutput({ cluster, answers, events }: Stage): void {
  process.stderr.write(`faults: ${events.join(' ')}\n${answers.join('\n')}\n`);
  cluster.showOutput();
}

async function run(random: Random): Promise<void> {
  const cluster = await FaultCluster.start(GROUPS);
  const load = new Load(cluster, random.seed + 1);
  const stage: Stage = {
    cluster,
    load,
    random,
    takeovers: [],
    moves: [],
    answers: [],
    events: [],
  };
  try {
    load.start();
    await disturb(stage);
    await cluster.heal();
    await cluster.isWhole();
    await load.end();
    const found = await finalFaults(stage);
    report(stage);
    assert.equal(found.slice(0, FAULTS_SHOWN_MAX), [], `${found.length} faults`);
  } catch (error) {
    showOutput(stage);
    throw error;
  } finally {
    await load.end().catch(() => undefined);
    await cluster.stop();
  }
}

underFaults(`keeps what it promises (faults: ${EVENTS})`, withRandom(run));

if (needs('etcd')) underFaults.run();
