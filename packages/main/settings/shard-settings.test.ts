/** Shards receive the settings that they read, and no others. */
import { shardSettingNames } from '#commands';
import { configName, rowOf, settingNames, Settings } from '#config';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { settingsOfShards, shardSettings } from './shard-settings.ts';

const forShards = suite('shard settings');

forShards('are told all that they read, and nothing else', () => {
  const reported = shardSettings(new Settings());
  assert.equal(Object.keys(reported).sort(), [...shardSettingNames].sort());
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
