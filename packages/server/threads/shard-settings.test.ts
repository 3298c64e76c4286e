/** Shards are told what they read, and no more. */
import { shardSettingKinds } from '#commands';
import { configName, rowOf, Settings, settingNames } from '#config';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { settingsOfShards, shardSettings } from './shard-settings.ts';

const forShards = suite('shard settings');

function kindOf(value: unknown): string {
  if (Array.isArray(value))
    return value.every((each) => typeof each === 'number') ? 'numbers' : 'strings';
  return typeof value;
}

forShards('what shards read exists, as they read it', () => {
  const told = shardSettings(new Settings());
  assert.equal(Object.keys(told).sort(), Object.keys(shardSettingKinds).sort());
  for (const [name, kind] of Object.entries(shardSettingKinds)) {
    const value = told[name];
    // Of an empty list nothing is known.
    if (!Array.isArray(value) || value.length > 0) assert.is(kindOf(value), kind, name);
  }
});

forShards('no secret is among it', () => {
  const secrets = settingNames.filter((name) => rowOf(name).isSecret === true);
  assert.ok(secrets.length >= 2);
  for (const name of secrets) {
    assert.not.ok(settingsOfShards.includes(name), name);
    assert.not.ok(configName(name) in shardSettings(new Settings()), name);
  }
});

forShards.run();
