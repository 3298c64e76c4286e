/**
 * `npm run generate`: writes the files that are derived from tables, and are committed so that they
 * can be read. With `--check` it writes nothing, and fails when a file is not what it should be.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import openWabt from 'wabt';
import { redisReference, renderToml, rowOf } from '#config';
import { runbooksPage } from '#stats';
import { metricsReference } from '#telemetry';
import { apiSchemasModule } from './openapi/api-schemas.ts';

interface Generator {
  readonly file: string;
  readonly render: () => string | Promise<string>;
}

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** Every generated file. */
const generators: readonly Generator[] = [
  { file: 'configs/server.toml', render: serverToml },
  { file: 'configs/redis-settings.md', render: redisReference },
  { file: 'configs/observability/metrics.md', render: metricsReference },
  { file: 'configs/reference/runbooks.md', render: runbooksPage },
  { file: 'packages/link/memory-module.ts', render: memoryModule },
  { file: 'packages/http/views/openapi/api-schemas.ts', render: () => apiSchemasModule(root) },
];

function serverToml(): string {
  const head = [
    '# Every setting with its default and its meaning. Written by `npm run generate`.',
    '#',
    '# Copy what you change into svc.toml, or into a file given by --config. Values come from the',
    '# defaults, the file, the environment (SVC_SECTION__KEY, hyphens and dots as underscores: one',
    '# for a hyphen, two for a dot) and the command line (--set section.key=value); the later wins.',
  ].join('\n');
  return `${head}\n\n${renderToml({ valueOf: (name) => rowOf(name).default, explain: true })}`;
}

/** The module of the link memory, and behind it the parts of it that belong to other packages, in their order. */
const WAT_FILES = [
  'packages/link/memory.wat',
  'packages/resp/bulk-strings.wat',
  'packages/store/listpack/listpack-bulks.wat',
  'packages/persistence/blocks/packed-strings.wat',
];

/** The text of one module: what the parts have goes before its last parenthesis. */
function memoryText(): string {
  const [module = '', ...parts] = WAT_FILES.map((file) =>
    readFileSync(path.join(root, file), 'utf8'),
  );
  return [module.slice(0, module.lastIndexOf(')')), ...parts, ')'].join('\n');
}

/** Compiles the link memory's WebAssembly; returns the source text of its module. */
async function memoryModule(): Promise<string> {
  const wabt = await openWabt();
  const module = wabt.parseWat('memory.wat', Buffer.from(memoryText()), {
    threads: true,
    simd: true,
    bulk_memory: true,
  });
  const { buffer } = module.toBinary({});
  const lines = Buffer.from(buffer)
    .toString('base64')
    .match(/.{1,90}/g)!;
  return [
    '/** The WebAssembly of the link memory, compiled from memory.wat by `npm run generate`. */',
    'export const memoryModule = Buffer.from(',
    '  [',
    ...lines.map((line) => `    '${line}',`),
    "  ].join(''),",
    "  'base64',",
    ');',
    '',
  ].join('\n');
}

const isCheck = process.argv.includes('--check');
let stale = 0;

for (const { file, render } of generators) {
  const absolute = path.join(root, file);
  const wanted = await render();
  if (existsSync(absolute) && readFileSync(absolute, 'utf8') === wanted) continue;
  stale += 1;
  if (isCheck) {
    console.log(`${file} is not what the tables say; run npm run generate`);
  } else {
    mkdirSync(path.dirname(absolute), { recursive: true });
    writeFileSync(absolute, wanted);
    console.log(`wrote ${file}`);
  }
}
process.exitCode = isCheck && stale > 0 ? 1 : 0;
