/**
 * Entries of tables that no code uses are dead: settings, settings of shards, latency events, errors, kinds of frames and
 * quantities. Paths of HTTP that no test names may be as well.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { errors } from '#base';
import { shardSettingNames } from '#commands';
import { configName, settingNames } from '#config';
import { FrameKind } from '#link';
import * as quantities from '#quantities';
import { LATENCY_EVENTS } from '#stats';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isTest, readSources, withoutComments, type SourceFile } from './source-files.ts';

const entries = suite('unused entries of tables');

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const all = readSources(root)
  .filter(({ file }) => /^(packages|workers)\//.test(file))
  .map(({ file, text }) => ({ file, text: withoutComments(text) }));
const isOfTests = (file: string): boolean => isTest(file) || file.startsWith('packages/testkit/');
const sources = all.filter(({ file }) => !isOfTests(file));
const tests = all.filter(({ file }) => isOfTests(file));

/** Code of the packages of these names. */
function codeOf(...packages: readonly string[]): readonly SourceFile[] {
  return sources.filter(({ file }) => packages.includes(file.split('/')[1]!));
}

/** Sources but for the home of a table, which names all entries. */
function outside(home: string): readonly SourceFile[] {
  const found = sources.filter(({ file }) => !file.startsWith(home));
  assert.ok(found.length < sources.length, `${home} is there`);
  return found;
}

/** Names for which no file has the pattern that `patternOf` makes of them. */
function unused<Name extends string>(
  names: readonly Name[],
  files: readonly SourceFile[],
  patternOf: (name: string) => string,
): Name[] {
  return names.filter((name) => {
    const pattern = new RegExp(patternOf(name.replaceAll('.', String.raw`\.`)));
    return !files.some(({ text }) => pattern.test(text));
  });
}

/** A name as a string; a listener alone reads nothing. */
const asText = (name: string): string => String.raw`(?<!\bonChange\(\s*)'${name}'`;
/** The name in a call that reads a setting of a shard. */
const asShardSetting = (name: string): string =>
  String.raw`\bsettings\s*\.(?:number|boolean|string|numbers|strings)\(\s*'${name}'`;
/** The name in a choice or a table by which a setting of a shard is read. */
const asChosenSetting = (name: string): string => String.raw`[?:]\s*'${name}'`;
/** The name as a property of the table. */
const asPropertyOf =
  (table: string) =>
  (name: string): string =>
    String.raw`\b${table}\s*\.${name}\b`;

const shardCode = codeOf('shard', 'commands');

entries('every setting is read outside packages/config', () => {
  const reported: ReadonlySet<string> = new Set(shardSettingNames);
  const read = settingNames.filter((name) => !reported.has(configName(name)));
  assert.equal(unused(read, outside('packages/config/'), asText), []);
});

entries('every setting that shards are told is read there', () => {
  const readers = [...shardCode, ...codeOf('stats')];
  const others = unused(shardSettingNames, readers, asShardSetting);
  assert.equal(unused(others, readers, asChosenSetting), []);
});

entries('shards read no setting that they are not told', () => {
  const calls = new RegExp(asShardSetting("([^']+)"), 'g');
  const read = shardCode.flatMap(({ text }) => [...text.matchAll(calls)].map(([, name]) => name!));
  assert.ok(read.length > shardSettingNames.length);
  const reported: ReadonlySet<string> = new Set(shardSettingNames);
  assert.equal(
    read.filter((name) => !reported.has(name)),
    [],
  );
});

entries('every event of LATENCY can occur', () => {
  const elsewhere = outside('packages/stats/latency/latency-events.ts');
  const occurs = (name: string): string => String.raw`(?:\boccurred|\brecord|#took)\(\s*'${name}'`;
  assert.equal(unused(LATENCY_EVENTS, elsewhere, occurs), []);
});

entries('every error of the catalogue is answered', () => {
  assert.equal(unused(Object.keys(errors), sources, asPropertyOf('errors')), []);
});

entries('every kind of frame is used', () => {
  assert.equal(unused(Object.keys(FrameKind), sources, asPropertyOf('FrameKind')), []);
});

/** Code that shows quantities and counts none: a name there says nothing. */
const SURFACES =
  /^packages\/(?:quantities|telemetry|http|observer|debug-ui|api-types|info|stats\/status)\//;

/** A quantity in a call or an assignment that writes it. */
const WRITTEN = /\b(?:add|set)\(\s*'(\w+)'|\bAT\.(\w+)\]!?\s*(?:=(?!=)|\+=|-=)/g;
/** A string, but for the name of a quantity that is read. */
const NAMED = /(?<!\b(?:get|sum|total|greatest|most)\(\s*)'(\w+)'/g;
const LIST = /\b([A-Z]+_QUANTITIES\.\w+)\b/g;
/** The beginning of a name, whose rest is worked out. */
const BEGINNING = /`([a-z]\w+)\$\{/g;

/** Returns what the groups of a pattern have found in files. */
function foundIn(files: readonly SourceFile[], pattern: RegExp): Set<string> {
  return new Set(
    files.flatMap(({ text }) =>
      [...text.matchAll(pattern)].flatMap(([, ...groups]) => groups.filter(Boolean)),
    ),
  );
}

/** Quantities that nothing writes: neither by their names, nor by a list that they are in, nor by the beginning of the name. */
function unwritten(
  lists: Readonly<Record<string, readonly { readonly counter: string }[]>>,
  files: readonly SourceFile[],
): string[] {
  const counting = files.filter(({ file }) => !SURFACES.test(file));
  const written = foundIn(files, WRITTEN);
  const named = foundIn(counting, NAMED);
  const mentioned = foundIn(counting, LIST);
  const beginnings = [...foundIn(counting, BEGINNING)];
  const names = Object.entries(lists)
    .filter(([list]) => !mentioned.has(list))
    .flatMap(([, rows]) => rows.map(({ counter }) => counter));
  return [...new Set(names)].filter(
    (name) =>
      !written.has(name) &&
      !named.has(name) &&
      !beginnings.some((beginning) => name.startsWith(beginning)),
  );
}

entries('every quantity is counted', () => {
  const lists = Object.entries(quantities).flatMap(([subject, found]) =>
    subject.endsWith('_QUANTITIES')
      ? Object.entries(found as Readonly<Record<string, readonly Partial<quantities.Quantity>[]>>)
          // Figures of logs and of users are on no page.
          .filter(([, rows]) => [rows].flat()[0]?.counter !== undefined)
          .map(([list, rows]) => [`${subject}.${list}`, rows as quantities.PageQuantity[]] as const)
      : [],
  );
  assert.is(lists.flatMap(([, rows]) => rows).length, quantities.QUANTITIES.length);
  assert.equal(unwritten(Object.fromEntries(lists), sources), []);
});

entries('a quantity that is only shown is found', () => {
  const files = [
    { file: 'packages/shard/a.ts', text: "page.add('one', 1); values[AT.two]! += 1; x.get('six')" },
    {
      file: 'packages/shard/b.ts',
      text: "const kinds = { a: 'three' }; KEY_QUANTITIES.gone; `den${kind}`",
    },
    { file: 'packages/http/c.ts', text: "main.get('five'); ['five']; values[AT.seven] === 1" },
  ];
  const rows = (...names: readonly string[]) => names.map((counter) => ({ counter }));
  const lists = {
    'KEY_QUANTITIES.some': rows('one', 'two', 'three', 'denial', 'five', 'six', 'seven'),
    'KEY_QUANTITIES.gone': rows('four'),
  };
  assert.equal(unwritten(lists, files), ['five', 'six', 'seven']);
});

const API = '/debug/api/';

/** Paths of routes, as the files of their side say them. */
function pathsIn(files: readonly SourceFile[]): string[] {
  const found = (pattern: RegExp, before = ''): string[] =>
    files.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, path]) => before + path!));
  return [
    ...found(/\b(?:path: |probe\(\s*|_PATH = )'(\/[^']+)'/g),
    ...found(/\b(?:documentRoute|post)\(\s*'([^']+)'/g, API),
  ];
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);
}

/** Paths that no file names: whole, or those of the debug API as they are below it. */
function untested(paths: readonly string[], files: readonly SourceFile[]): string[] {
  return paths.filter((full) => {
    const [fixed = ''] = full.split(/[:*]/);
    const end = fixed === full ? String.raw`(?![\w/-])` : '';
    const below = full.startsWith(API) ? full.slice(API.length) : '';
    const patterns = [
      new RegExp(`${escaped(fixed.replace('/debug/', ''))}${end}`),
      ...(below.includes('/') ? [new RegExp(`'${escaped(below)}'`)] : []),
    ];
    return !files.some(({ text }) => patterns.some((pattern) => pattern.test(text)));
  });
}

entries('every path of HTTP is named by a test', () => {
  const paths = pathsIn(codeOf('http'));
  assert.ok(paths.length > 50, `${paths.length} paths`);
  assert.equal(untested(paths, tests), []);
});

entries('a path that no test names is found', () => {
  const files = [
    { file: 'packages/e2e/a.test.ts', text: "get('/debug/api/keys'); post('a/b'); `/x/1`" },
  ];
  const paths = [
    '/debug/api/keys',
    '/debug/api/a/b',
    '/x/:id',
    '/debug/api/key',
    '/debug/api/a',
    '/y',
  ];
  assert.equal(untested(paths, files), ['/debug/api/key', '/debug/api/a', '/y']);
});

entries(
  'a name that stands nowhere is found, and one in a comment or a listener does not count',
  () => {
    const text = withoutComments("// 'a.b'\nsettings.onChange(\n'a.c', apply); x.number('a.d');");
    const files = [{ file: 'packages/x/y.ts', text }];
    assert.equal(unused(['a.b', 'a.c', 'a.d', 'a.e'], files, asText), ['a.b', 'a.c', 'a.e']);
    const sent = [{ file: 'packages/x/y.ts', text: '{ kind: FrameKind.part }' }];
    assert.equal(unused(['part', 'par'], sent, asPropertyOf('FrameKind')), ['par']);
  },
);

entries.run();
