/**
 * Rules of which package may import which, and which file certain words belong to. No other file holds these rules.
 */
import path from 'node:path';
import { circlesOf } from './circles.ts';
import {
  importsOf,
  isTest,
  withoutComments,
  type Import,
  type SourceFile,
} from './source-files.ts';

/** One package: what of ours it may import, and which packages of others live in it. */
interface Layer {
  readonly imports: readonly string[];
  /** Packages of which it may take types only. */
  readonly types?: readonly string[];
  readonly thirdParty?: readonly string[];
}

const layers: Readonly<Record<string, Layer>> = {
  base: { imports: [], thirdParty: ['koffi'] },
  // The browser's types are made of it: it imports nothing that needs Node.
  quantities: { imports: [] },
  'api-types': { imports: [], types: ['quantities'] },
  usdt: { imports: [] },
  resp: { imports: ['base'] },
  store: { imports: ['base', 'quantities'] },
  stats: { imports: ['base', 'quantities'], types: ['api-types'] },
  commands: {
    imports: ['base', 'store', 'quantities'],
    types: ['config', 'stats', 'api-types', 'resp'],
  },
  acl: { imports: ['base', 'commands'] },
  lua: { imports: ['base'], thirdParty: ['wasmoon-lua5.1'] },
  link: { imports: ['base'], thirdParty: ['msgpackr'] },
  config: { imports: ['base'], thirdParty: ['@iarna/toml', 'valibot'] },
  tier: { imports: ['base', 'store', 'link'], thirdParty: [] },
  shard: {
    imports: [
      ...['acl', 'base', 'usdt', 'resp', 'store', 'quantities', 'stats', 'commands', 'link', 'lua'],
      ...['persistence', 'tier'],
    ],
  },
  offline: {
    imports: ['base', 'store', 'stats', 'commands', 'persistence', 'shard', 'tier'],
  },
  router: { imports: ['acl', 'base', 'usdt', 'resp', 'stats', 'commands', 'link'] },
  net: { imports: ['base', 'resp', 'link', 'stats'] },
  observer: { imports: ['base', 'stats', 'commands', 'link'], types: ['api-types'] },
  telemetry: {
    imports: ['base', 'quantities', 'stats', 'link'],
    types: ['api-types'],
    thirdParty: ['prom-client', '@opentelemetry/*', 'winston', 'winston-daily-rotate-file'],
  },
  history: {
    imports: ['base', 'quantities', 'stats', 'link', 'observer'],
    types: ['api-types'],
  },
  http: {
    imports: ['base', 'quantities', 'stats', 'telemetry', 'link', 'observer', 'history'],
    types: ['api-types'],
    thirdParty: ['find-my-way', 'piscina'],
  },
  'debug-ui': {
    imports: [],
    types: ['api-types'],
    thirdParty: ['preact', 'preact/*', 'uplot', 'uplot/*'],
  },
  persistence: { imports: ['base', 'store', 'stats', 'link'] },
  // Main, from below: each may import what stands above it here.
  main: {
    imports: [
      ...['base', 'usdt', 'stats', 'commands', 'link', 'config', 'persistence', 'tier', 'router'],
      ...['net', 'observer', 'workers'],
    ],
    types: ['api-types', 'http', 'offline', 'resp', 'shard', 'telemetry'],
    thirdParty: ['piscina'],
  },
  messaging: {
    imports: ['base', 'usdt', 'resp', 'stats', 'commands', 'link', 'main'],
    types: ['api-types', 'config', 'http', 'router'],
  },
  diagnostics: {
    imports: ['base', 'stats', 'commands', 'config', 'observer', 'main'],
    types: ['api-types', 'http', 'link', 'quantities', 'router', 'telemetry'],
  },
  access: {
    imports: [
      ...['quantities', 'base', 'stats', 'commands', 'acl', 'router', 'main', 'diagnostics'],
    ],
    types: ['api-types', 'config', 'link'],
  },
  clients: {
    imports: [
      ...['quantities', 'base', 'usdt', 'resp', 'commands', 'acl', 'config', 'router', 'net'],
      ...['main', 'diagnostics', 'access'],
    ],
    types: ['api-types', 'stats'],
  },
  durability: {
    imports: [
      ...['base', 'store', 'stats', 'link', 'config', 'persistence', 'shard', 'offline', 'router'],
      'main',
    ],
    types: ['api-types'],
  },
  replication: {
    imports: [
      ...['quantities', 'base', 'resp', 'store', 'stats', 'commands', 'link', 'config', 'router'],
      ...['net', 'workers', 'main', 'diagnostics', 'clients', 'durability'],
    ],
    types: ['api-types'],
  },
  cluster: {
    imports: [
      ...['quantities', 'base', 'resp', 'stats', 'commands', 'config', 'net', 'workers', 'main'],
      'replication',
    ],
    types: ['api-types', 'link', 'router', 'messaging', 'clients'],
    thirdParty: ['@grpc/grpc-js', '@grpc/proto-loader', 'archiver'],
  },
  load: {
    imports: ['base', 'resp', 'stats', 'link', 'config', 'net', 'workers'],
    types: ['api-types'],
  },
  tools: {
    imports: ['base', 'resp', 'config', 'net', 'cluster', 'load', 'stats'],
    types: ['api-types'],
    thirdParty: ['tar-stream'],
  },
  info: {
    imports: [
      ...['quantities', 'base', 'stats', 'commands', 'link', 'config', 'router', 'observer'],
      ...['main', 'clients', 'replication'],
    ],
    types: ['net'],
  },
  server: {
    imports: [
      ...['base', 'resp', 'stats', 'commands', 'link', 'config', 'persistence', 'router', 'net'],
      ...['observer', 'main', 'messaging', 'diagnostics', 'access', 'clients', 'durability'],
      ...['replication', 'cluster', 'info', 'tools'],
    ],
    types: ['api-types', 'http'],
  },
  testkit: {
    // Commands would cost each test of a server a quarter of a second before it begins.
    imports: ['base'],
    types: ['api-types'],
    thirdParty: ['@grpc/grpc-js', '@grpc/proto-loader', 'ajv'],
  },
  differential: { imports: ['base', 'testkit'] },
  simulation: {
    imports: [
      ...[
        'acl',
        'base',
        'commands',
        'config',
        'stats',
        'link',
        'net',
        'resp',
        'router',
        'main',
        'shard',
      ],
      'testkit',
    ],
  },
  e2e: {
    imports: [
      'base',
      'config',
      'differential',
      'persistence',
      'quantities',
      'stats',
      'usdt',
      'testkit',
    ],
    types: ['api-types'],
  },
  'workers/shard': { imports: ['base', 'shard'], types: ['config'] },
  'workers/front': { imports: ['net'] },
  'workers/load': { imports: ['load'] },
  'workers/ops': { imports: ['base', 'http'] },
  'workers/disk': { imports: ['base', 'persistence'] },
  'workers/tier': { imports: ['base', 'tier'] },
  'workers/urls': { imports: [] },
  'workers/tasks': {
    imports: ['base', 'stats', 'offline', 'replication'],
    thirdParty: ['archiver'],
  },
};

/** Imports that tests may have beside those of their package. */
const testImports = ['testkit', 'base'];
const testThirdParty = [
  ...['uvu', 'uvu/assert', 'playwright-core', 'axe-core'],
  ...['redis', 'ioredis', 'bullmq', 'redlock', 'rate-limiter-flexible'],
];

/** Words that only some files may use. A folder ends in a slash. */
interface Seam {
  readonly what: string;
  readonly pattern: RegExp;
  readonly allowed: readonly string[];
  /** True when tests and their kit are held to it too. */
  readonly isForTests?: boolean;
}

const errorCodes =
  'ERR|WRONGTYPE|WRONGPASS|NOAUTH|NOPROTO|NOPERM|NOSCRIPT|OOM|LOADING|BUSY|BUSYKEY|EXECABORT|MISCONF|READONLY|CROSSSLOT|MOVED';

const seams: readonly Seam[] = [
  {
    what: 'a clock',
    pattern: /\b(Date\.now|performance\.now|process\.hrtime)\b/g,
    allowed: ['packages/base/time/clock.ts', 'packages/debug-ui/view/browser.ts'],
  },
  {
    what: 'the environment or the command line',
    pattern: /\bprocess\.(env|argv)\b/g,
    // The loader runs before settings are read, and heeds a variable of the build alone.
    allowed: ['packages/config/', 'packages/server/load-program.ts'],
  },
  {
    what: 'shared memory',
    pattern: /\b(Atomics|SharedArrayBuffer)\b/g,
    allowed: ['packages/link/'],
  },
  {
    what: 'sockets',
    pattern: /'node:(net|tls|http|https)'/g,
    allowed: ['packages/net/', 'packages/http/'],
  },
  {
    what: 'a new thread',
    pattern: /\bnew Worker\(/g,
    allowed: [
      'packages/main/threads/shard-pool.ts',
      'packages/main/threads/front-pool.ts',
      'packages/main/threads/ops-worker.ts',
      'packages/main/threads/disk-link.ts',
      'packages/main/tier/tier-pool.ts',
      'packages/load/run/load-run.ts',
    ],
  },
  {
    what: 'the text of an error reply',
    pattern: new RegExp(`['"\`]-?(${errorCodes}) `, 'g'),
    // What one command alone answers stands beside that command.
    allowed: [
      'packages/base/errors/command-error.ts',
      'packages/commands/',
      // Tables of errors as scripts see them.
      'packages/lua/environment/errors.ts',
    ],
  },
  {
    what: 'the console or an exit',
    pattern: /\b(console\.\w+|process\.exit)\(/g,
    allowed: ['scripts/', 'bench/'],
    isForTests: true,
  },
];

/** Number of times that a file may break a rule, and the reason. Counted, so that it can only shrink. */
type Exemptions = Readonly<Record<string, readonly [count: number, reason: string]>>;

const exemptions: Exemptions = {};

/** Returns what breaks the import rules or the seams, one line each. */
export function layerFaults(
  files: readonly SourceFile[],
  exempt: Exemptions = exemptions,
): string[] {
  const faults: string[] = [];
  for (const file of files) {
    const found = [...importFaults(file), ...seamFaults(file)];
    const allowed = exempt[file.file]?.[0] ?? 0;
    if (found.length === allowed) continue;
    faults.push(...found);
    if (allowed > 0) faults.push(`${file.file}: ${found.length} faults, but ${allowed} are exempt`);
  }
  const known = new Set(files.map(({ file }) => file));
  const gone = Object.keys(exempt).filter((file) => !known.has(file));
  return [
    ...faults,
    ...gone.map((file) => `${file}: is exempt, but does not exist`),
    ...circlesOf(files).map((circle) => `${circle.join(', ')}: import each other in a circle`),
  ];
}

/** The row a file belongs to, or nothing for scripts and benches, which may import anything. */
function packageOf(file: string): string | undefined {
  const [top, name = '', ...rest] = file.split('/');
  if (top === 'packages' && rest.length > 0) return name;
  return top === 'workers' ? `workers/${name.replace(/(\.[\w-]+)*\.ts$/, '')}` : undefined;
}

function importFaults(source: SourceFile): string[] {
  const own = packageOf(source.file);
  if (own === undefined) return [];
  const layer = layers[own];
  if (layer === undefined) return [`${source.file}: the package ${own} has no row in layers.ts`];
  return importsOf(source)
    .filter((one) => !isAllowed(source.file, own, layer, one))
    .map(({ target }) => `${source.file}: may not import ${target}`);
}

function isAllowed(file: string, own: string, layer: Layer, one: Import): boolean {
  const { target } = one;
  if (target.startsWith('node:')) return true;
  if (target.startsWith('#')) return isOursAllowed(file, layer, one);
  if (target.startsWith('.')) {
    const resolved = path.posix.join(path.posix.dirname(file), target);
    if (isTest(resolved) && !isTest(file)) return false;
    return packageOf(resolved) === own || (own.startsWith('workers/') && isTest(file));
  }
  if (isTest(file) && testThirdParty.includes(target)) return true;
  return (layer.thirdParty ?? []).some((name) =>
    name.endsWith('*') ? target.startsWith(name.slice(0, -1)) : target === name,
  );
}

function isOursAllowed(file: string, layer: Layer, { target, isType }: Import): boolean {
  const name = target.slice(1);
  const types = layer.types ?? [];
  if (layer.imports.includes(name) || (isType && types.includes(name))) return true;
  return isTest(file) && (testImports.includes(name) || types.includes(name));
}

function seamFaults({ file, text }: SourceFile): string[] {
  const forTests = isTest(file) || file.startsWith('packages/testkit/');
  const code = withoutComments(text);
  return seams
    .filter(({ isForTests }) => !forTests || isForTests === true)
    .filter(() => !file.startsWith('scripts/') && !file.startsWith('bench/'))
    .filter(({ allowed }) => !allowed.some((place) => file === place || isInside(file, place)))
    .flatMap(({ what, pattern, allowed }) =>
      (code.match(pattern) ?? []).map(
        (word) => `${file}: ${what} (${word}) belongs to ${allowed.join(', ')}`,
      ),
    );
}

function isInside(file: string, folder: string): boolean {
  return folder.endsWith('/') && file.startsWith(folder);
}
