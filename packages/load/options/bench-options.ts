/** Options of `svc-server bench`, read and judged. Every mistake is an Error that names the option. */

import { readSubcommand } from '#config';
import { readAddress, readGiven, readLogin, readToolTls, type ServerPlace } from '#net';
import type { KeyOrder } from '../requests/key-numbers.ts';
import { fillingCommands, readMix, type WeightedCommand } from '../requests/mix.ts';
import { readTemplate, usesPrefix, type Template } from '../requests/template.ts';
import { readValueSizes } from '../requests/value-sizes.ts';
import type { LoadPlan, MetricsPlace, Target } from './plan.ts';

const MIX_DEFAULT = 'get:90,set:10';
const SECONDS_DEFAULT = 10;
const ROUNDS_DEFAULT = 3;
const DAY_SECONDS = 86_400;
/** Numbers of keys have twelve digits, those of elements six. */
const KEYS_MAX = 10 ** 12;
const ELEMENTS_MAX = 1_000;
const COUNT_MAX = 10 ** 12;
const CONNECTIONS_MAX = 60_000;
const THREADS_MAX = 256;
const PIPELINE_MAX = 100_000;
const RATE_MAX = 100_000_000;
const SEED_MAX = 2 ** 32 - 1;
const ZIPF_MAX = 20;
const ROUNDS_MAX = 1_000;
/** As wide as the numbers of commands in the table of requests under way. */
const COMMANDS_MAX = 32_767;

/** Files that results are written to; empty for none. */
export interface OutputFiles {
  /** `-` is standard output. */
  readonly json: string;
  readonly csv: string;
  readonly html: string;
}

/** All that a run of `bench` needs. */
export interface BenchOptions {
  /** Load on the first server; on the other one it is the same but for the place. */
  readonly plan: LoadPlan;
  /** Servers to measure, the one of --address first. */
  readonly places: readonly ServerPlace[];
  readonly rounds: number;
  /** HTTP side of the first server, if its metrics are wanted. */
  readonly metrics: MetricsPlace | undefined;
  /** Commands that fill the keys before. */
  readonly filling: readonly Template[];
  readonly files: OutputFiles;
  /** Options as they were given, without the password. */
  readonly given: Readonly<Record<string, string | number | boolean>>;
}

type Given = ReturnType<typeof readSubcommand>;

/** Reads the command line. */
export function readBenchOptions(args: readonly string[]): BenchOptions {
  const given = readSubcommand('bench', args);
  const target = readTarget(given);
  const mix = mixText(given);
  const elements = whole(given, 'elements', 1, ELEMENTS_MAX);
  const commands = readCommands(given, mix, elements);
  const plan: LoadPlan = {
    target,
    commands,
    keys: whole(given, 'keys', 1, KEYS_MAX),
    order: readOrder(given),
    elements,
    sizes: readValueSizes(given.text('value-size')),
    seed: whole(given, 'seed', 0, SEED_MAX),
    connections: whole(given, 'connections', 1, CONNECTIONS_MAX),
    threads: whole(given, 'threads', 1, THREADS_MAX),
    pipeline: whole(given, 'pipeline', 1, PIPELINE_MAX),
    rate: given.text('rate') === '' ? 0 : decimal(given, 'rate', RATE_MAX),
    ...readLength(given),
  };
  if (plan.threads > plan.connections) {
    throw new Error(
      `--threads ${plan.threads} needs as many --connections; there are ${plan.connections}`,
    );
  }
  return {
    plan,
    ...readServers(given, target.place),
    metrics: readMetrics(given),
    filling: readFilling(given, mix, elements),
    files: { json: given.text('json'), csv: given.text('csv'), html: given.text('html') },
    given: shownOptions(given, plan, mix),
  };
}

function readTarget(given: Given): Target {
  const unixSocket = given.text('unix-socket');
  const options = readToolTls(given);
  const serverName = given.text('sni');
  const isInsecure = given.has('insecure');
  if (options === undefined && (serverName !== '' || isInsecure)) {
    throw new Error('--sni and --insecure need --tls');
  }
  if (unixSocket !== '' && options !== undefined) {
    throw new Error('--unix-socket and --tls exclude each other');
  }
  const isCluster = given.has('cluster');
  if (unixSocket !== '' && isCluster) {
    throw new Error('--unix-socket and --cluster exclude each other');
  }
  const resp = whole(given, 'resp', 2, 3) === 3 ? 3 : 2;
  const tls = options === undefined ? undefined : { options, serverName, isInsecure };
  return {
    place: { ...readAddress(given.text('address')), unixSocket, tls },
    login: readLogin(given).slice(1),
    resp,
    isCluster,
  };
}

function mixText(given: Given): string {
  const mix = given.text('mix');
  return mix === '' && given.texts('command').length === 0 ? MIX_DEFAULT : mix;
}

function readCommands(given: Given, mix: string, elements: number): readonly WeightedCommand[] {
  const prefix = given.text('prefix');
  const texts = given.texts('command');
  const named = mix === '' ? [] : readMix(mix, { prefix, elements });
  const others = texts.map((text) => {
    const [, weight = '1', template = ''] = /^(?:(\d+(?:\.\d+)?):)?(.*)$/s.exec(text) ?? [];
    if (Number(weight) <= 0) throw new Error(`--command ${text}: a weight is above 0`);
    return {
      name: template,
      template: readTemplate(template, prefix),
      weight: Number(weight),
    };
  });
  if (prefix !== '' && named.length === 0 && !texts.some(usesPrefix)) {
    throw new Error('--prefix needs {prefix} in a --command');
  }
  const all = [...named, ...others];
  if (all.length > COMMANDS_MAX) throw new Error(`there are at most ${COMMANDS_MAX} commands`);
  const names = all.map(({ name }) => name);
  const twice = names.find((name, nth) => names.indexOf(name) !== nth);
  if (twice !== undefined) throw new Error(`${twice} is in the mix twice`);
  return all;
}

function readFilling(given: Given, mix: string, elements: number): readonly Template[] {
  if (!given.has('preload')) return [];
  const filling =
    mix === '' ? [] : fillingCommands(mix, { prefix: given.text('prefix'), elements });
  if (filling.length > 0) return filling;
  throw new Error(
    '--preload fills the keys of --mix, and there are none; fill those of --command by a run with --sequential and --requests',
  );
}

function readOrder(given: Given): KeyOrder {
  const zipf = given.text('zipf');
  const isSequential = given.has('sequential');
  if (zipf === '') return { kind: isSequential ? 'sequential' : 'uniform' };
  if (isSequential) throw new Error('--zipf and --sequential exclude each other');
  return { kind: 'zipf', exponent: decimal(given, 'zipf', ZIPF_MAX) };
}

function readLength(given: Given): Pick<LoadPlan, 'requests' | 'seconds' | 'warmupSeconds'> {
  const requests = given.text('requests') === '' ? 0 : whole(given, 'requests', 1, COUNT_MAX);
  const duration = given.text('duration');
  const seconds = duration === '' ? 0 : decimal(given, 'duration', DAY_SECONDS);
  return {
    requests,
    seconds: requests === 0 && seconds === 0 ? SECONDS_DEFAULT : seconds,
    warmupSeconds: given.text('warmup') === '0' ? 0 : decimal(given, 'warmup', DAY_SECONDS),
  };
}

function readMetrics(given: Given): MetricsPlace | undefined {
  const [address, tokenFile] = [given.text('metrics'), given.text('token-file')];
  if (address !== '') {
    return { ...readAddress(address, '--metrics'), token: readGiven(tokenFile).trim() };
  }
  if (tokenFile !== '') throw new Error('--token-file needs --metrics');
  return undefined;
}

function readServers(given: Given, place: ServerPlace): Pick<BenchOptions, 'places' | 'rounds'> {
  const compare = given.text('compare');
  if (compare === '') {
    if (given.text('rounds') !== '') throw new Error('--rounds needs --compare');
    return { places: [place], rounds: 1 };
  }
  const other = { ...place, ...readAddress(compare, '--compare'), unixSocket: '' };
  const rounds =
    given.text('rounds') === '' ? ROUNDS_DEFAULT : whole(given, 'rounds', 1, ROUNDS_MAX);
  return { places: [place, other], rounds };
}

function shownOptions(given: Given, plan: LoadPlan, mix: string): BenchOptions['given'] {
  const { order } = plan;
  return {
    commands: [mix, ...given.texts('command')].filter((text) => text !== '').join('; '),
    loop: plan.rate > 0 ? 'open' : 'closed',
    ...(plan.rate > 0 ? { rate: plan.rate } : {}),
    ...(plan.seconds > 0 ? { duration_secs: plan.seconds } : {}),
    ...(plan.requests > 0 ? { requests: plan.requests } : {}),
    warmup_secs: plan.warmupSeconds,
    connections: plan.connections,
    threads: plan.threads,
    pipeline: plan.pipeline,
    keys: plan.keys,
    key_order: order.kind === 'zipf' ? `zipf ${order.exponent}` : order.kind,
    value_size: given.text('value-size'),
    elements: plan.elements,
    seed: plan.seed,
    resp: plan.target.resp,
    tls: plan.target.place.tls !== undefined,
    cluster: plan.target.isCluster,
    preload: given.has('preload'),
  };
}

function whole(given: Given, option: string, least: number, most: number): number {
  const text = given.text(option);
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= least && value <= most) return value;
  throw new Error(`--${option} is a whole number from ${least} to ${most}, not "${text}"`);
}

function decimal(given: Given, option: string, most: number): number {
  const text = given.text(option);
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (value > 0 && value <= most) return value;
  throw new Error(`--${option} is a number above 0, and at most ${most}, not "${text}"`);
}
