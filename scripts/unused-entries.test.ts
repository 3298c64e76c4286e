/** Entries of tables that no code uses are dead: settings, settings of shards, latency events, errors and kinds of frames. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { errors } from '#base';
import { shardSettingNames } from '#commands';
import { configName, settingNames } from '#config';
import { FrameKind } from '#link';
import { LATENCY_EVENTS } from '#stats';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isTest, readSources, withoutComments, type SourceFile } from './source-files.ts';

const entries = suite('unused entries of tables');

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const sources = readSources(root)
  .filter(({ file }) => /^(packages|workers)\//.test(file))
  .filter(({ file }) => !isTest(file) && !file.startsWith('packages/testkit/'))
  .map(({ file, text }) => ({ file, text: withoutComments(text) }));

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
/** The name as a property of the table. */
const asPropertyOf =
  (table: string) =>
  (name: string): string =>
    String.raw`\b${table}\s*\.${name}\b`;

const shardCode = codeOf('shard', 'commands');

entries('every setting is read outside packages/config', () => {
  const told: ReadonlySet<string> = new Set(shardSettingNames);
  const read = settingNames.filter((name) => !told.has(configName(name)));
  assert.equal(unused(read, outside('packages/config/'), asText), []);
});

entries('every setting that shards are told is read there', () => {
  assert.equal(unused(shardSettingNames, shardCode, asShardSetting), []);
});

entries('shards read no setting that they are not told', () => {
  const calls = new RegExp(asShardSetting("([^']+)"), 'g');
  const read = shardCode.flatMap(({ text }) => [...text.matchAll(calls)].map(([, name]) => name!));
  assert.ok(read.length > shardSettingNames.length);
  const told: ReadonlySet<string> = new Set(shardSettingNames);
  assert.equal(
    read.filter((name) => !told.has(name)),
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
