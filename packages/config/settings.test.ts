import * as v from 'valibot';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { targets } from './config-names.ts';
import { constants } from './constants.ts';
import { variableOf } from './sources/environment.ts';
import { takeTable } from './sources/file-source.ts';
import type { Value } from './kinds.ts';
import { renderToml } from './render.ts';
import { Settings } from './runtime.ts';
import { configName, rowOf, settingNames, type SettingName } from './settings.ts';
import { Gathered } from './sources/source.ts';
import { parseToml } from './sources/toml-file.ts';

const table = suite('table of settings');

table('has sound rows', () => {
  for (const name of settingNames) {
    const { kind, meaning, default: value } = rowOf(name);
    assert.match(name, /^[a-z][a-z-]*(\.[a-z][a-z-]*){1,2}$/);
    assert.match(meaning, /^[A-Z].*\.$/s, name);
    assert.equal(kind.parse(kind.format(value)), value, `${name} as text`);
    const parsed = parseToml(`x = ${kind.toml(value)}`, name).data['x'];
    assert.equal(v.parse(kind.schema, parsed), value, `${name} as TOML`);
  }
});

table('gives every name once', () => {
  const names = settingNames
    .filter((name) => rowOf(name).isPart !== true)
    .flatMap((name) => [configName(name), ...(rowOf(name).aliases ?? [])]);
  const fixed = Object.entries(constants).flatMap(([name, { aliases }]) => [
    name,
    ...(aliases ?? []),
  ]);
  const redisWords = [
    'client-output-buffer-limit',
    'appendfsync',
    'save',
    'tls-port',
    'replicaof',
    'slaveof',
    'tls-auth-clients',
    'io-threads',
    'io-threads-do-reads',
  ];
  const all = [...names, ...fixed, ...redisWords];
  assert.is(new Set(all).size, all.length);
  assert.is(targets.size, all.length);
  assert.is(new Set(settingNames.map(variableOf)).size, settingNames.length);
});

table('accepts every value CONFIG GET shows, as a client does that restores them', () => {
  const settings = new Settings();
  settings.configSet(settings.configGet(['*']).filter(([name]) => !isAlias(name)));
  assert.equal(settings.snapshot(), new Settings().snapshot());
});

function isAlias(name: string): boolean {
  const target = targets.get(name);
  return [...targets].find(([, other]) => other === target)?.[0] !== name;
}

table('writes itself as TOML that says the same', () => {
  const gathered = new Gathered();
  const valueOf = (name: SettingName): Value => rowOf(name).default;
  takeTable(gathered, parseToml(renderToml({ valueOf, explain: true }), 'the table'));
  assert.equal(gathered.mistakes, []);
  assert.is(gathered.values.size, settingNames.length);
  for (const [name, held] of gathered.values) {
    assert.equal([held.value, held.origin], [rowOf(name).default, 'file'], name);
  }
});

table.run();
