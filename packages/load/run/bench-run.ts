/** Measures servers by turns: fills the keys of each, then plays the rounds. */

import type { ServerPlace } from '#net';
import type { NodeSlots } from '../engine/slot-map.ts';
import type { BenchOptions } from '../options/bench-options.ts';
import type { LoadPlan, MetricsPlace } from '../options/plan.ts';
import { runLoad, type LoadResult, type SecondPoint } from './load-run.ts';
import { phaseUses, readPhases, type PhaseReading, type PhaseUse } from './phases.ts';
import { ServerSession, type ServerReading } from './server-session.ts';
import { serverUse, type ServerUse } from './server-use.ts';

/** Commands under way while keys are filled. */
const FILLING_PIPELINE = 32;

/** A load on one server. */
export interface BenchRun {
  /** Index of the server, in the order of the command line. */
  readonly server: number;
  readonly round: number;
  readonly load: LoadResult;
  /** Use of each node. */
  readonly use: readonly ServerUse[];
  /** Phases of the commands; empty without metrics. */
  readonly phases: readonly PhaseUse[];
}

/** Sessions with all nodes of one server or cluster. */
interface Contender {
  readonly plan: LoadPlan;
  readonly nodes: readonly NodeSlots[];
  readonly sessions: readonly ServerSession[];
  readonly metrics: MetricsPlace | undefined;
}

interface BenchEvents {
  readonly signal: AbortSignal;
  /** Called with what begins. */
  readonly begins: (what: string) => void;
  readonly onSecond: (point: SecondPoint) => void;
}

/**
 * Runs all rounds; rejects if a server cannot be asked. An abort ends the load under way, whose results so far remain; an
 * error after the first results ends the rest, and is returned beside them.
 */
export async function runBench(
  options: BenchOptions,
  events: BenchEvents,
): Promise<{ readonly runs: readonly BenchRun[]; readonly failure: string | undefined }> {
  const contenders: Contender[] = [];
  const runs: BenchRun[] = [];
  try {
    for (const [nth, place] of options.places.entries()) {
      const metrics = nth === 0 ? options.metrics : undefined;
      contenders.push({ ...(await openContender(options.plan, place)), metrics });
    }
    for (const contender of contenders) await fill(contender, options, events);
    for (let turn = 0; turn < options.rounds * contenders.length; turn += 1) {
      if (events.signal.aborted) break;
      const [server, round] = [turn % contenders.length, Math.floor(turn / contenders.length)];
      if (contenders.length > 1) events.begins(`round ${round + 1}, server ${server + 1}`);
      runs.push({ server, round, ...(await measure(contenders[server]!, events)) });
    }
  } catch (error) {
    if (runs.length === 0) throw error;
    return { runs, failure: (error as Error).message };
  } finally {
    for (const { sessions } of contenders) for (const session of sessions) session.close();
  }
  return { runs, failure: undefined };
}

async function openContender(
  common: LoadPlan,
  place: ServerPlace,
): Promise<Omit<Contender, 'metrics'>> {
  const plan = { ...common, target: { ...common.target, place } };
  const session = await ServerSession.open(place, plan.target);
  if (!plan.target.isCluster) return { plan, nodes: [], sessions: [session] };
  const sessions: ServerSession[] = [];
  try {
    const nodes = await session.nodes();
    for (const { host, port } of nodes) {
      const isGiven = host !== '' && host !== '?';
      const node = { ...place, host: isGiven ? host : place.host, port };
      sessions.push(await ServerSession.open(node, plan.target));
    }
    return { plan, nodes, sessions };
  } finally {
    session.close();
  }
}

/** Writes every key once, for each of the commands that fill keys. */
async function fill(
  { plan, nodes }: Contender,
  { filling }: BenchOptions,
  { signal, begins }: BenchEvents,
): Promise<void> {
  for (const template of filling) {
    if (signal.aborted) return;
    begins(`filling ${plan.keys} keys by ${template.name}`);
    const { errors, connectionsLost, lossReasons } = await runLoad(
      {
        ...plan,
        commands: [{ name: template.name, template, weight: 1 }],
        order: { kind: 'sequential' },
        pipeline: FILLING_PIPELINE,
        rate: 0,
        requests: plan.keys,
        seconds: 0,
        warmupSeconds: 0,
      },
      { nodes, signal },
    );
    const [code] = Object.entries(errors);
    if (code !== undefined) {
      throw new Error(`--preload: ${template.name} was refused ${code[1]} times with ${code[0]}`);
    }
    if (connectionsLost > 0)
      throw new Error(`--preload: connection lost: ${lossReasons.join(', ')}`);
  }
}

async function measure(
  { plan, nodes, sessions, metrics }: Contender,
  { signal, onSecond }: BenchEvents,
): Promise<Pick<BenchRun, 'load' | 'use' | 'phases'>> {
  const read = (): Promise<ServerReading[]> =>
    Promise.all(sessions.map((session) => session.read()));
  const readAllPhases = (): Promise<PhaseReading> =>
    metrics === undefined ? Promise.resolve(new Map()) : readPhases(metrics);
  let before: readonly ServerReading[] = [];
  let phasesBefore = await readAllPhases();
  const load = await runLoad(plan, {
    nodes,
    signal,
    onSecond,
    atBegin: async () => {
      before = await read();
      phasesBefore = await readAllPhases();
    },
  });
  const after = await read();
  const phasesMissing: string[] = [];
  const phasesAfter = await readAllPhases().catch((error: unknown): PhaseReading => {
    // What was measured is worth more than its phases.
    phasesMissing.push((error as Error).message);
    return new Map();
  });
  return {
    load,
    use: after.map((reading, nth) => {
      const use = serverUse(before[nth]!, reading);
      return nth === 0 ? { ...use, missing: [...use.missing, ...phasesMissing] } : use;
    }),
    phases: phaseUses(phasesBefore, phasesAfter),
  };
}
