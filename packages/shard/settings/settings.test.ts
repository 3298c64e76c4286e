/** Settings of shards: read by their names and kinds, which the compiler knows. */
import { shardSettingNames, type ShardSettingValues } from '#commands';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Settings } from './settings.ts';

const settings = suite('settings of a shard');

const zeros = Object.fromEntries(
  shardSettingNames.map((name) => [name, 0]),
) as unknown as ShardSettingValues;

settings('are read as they are now', () => {
  const told = new Settings({ ...zeros, 'server.hz': 10, 'key-prefixes.prefixes': ['a:'] });
  let seen = 0;
  told.follow((now) => {
    seen = now.number('server.hz');
  });
  assert.equal([seen, told.strings('key-prefixes.prefixes')], [10, ['a:']]);
  const { revision } = told;
  told.update({ 'server.hz': 20 });
  assert.equal([seen, told.all['server.hz']], [20, 20]);
  assert.is.not(told.revision, revision);
});

settings('have no other names and no other kinds', () => {
  const told = new Settings({ ...zeros, 'memory.active-defrag': true });
  const wrong = [
    // @ts-expect-error -- shards do not receive where clients connect to
    () => told.number('port'),
    // @ts-expect-error -- that is its name in CONFIG
    () => told.number('maxmemory'),
    // @ts-expect-error -- yes or no is no number
    () => told.number('memory.active-defrag'),
    // @ts-expect-error -- one number is no list
    () => told.numbers('server.hz'),
    // @ts-expect-error -- a number is no text
    () => told.string('server.hz'),
  ];
  for (const read of wrong) assert.throws(read, /setting/);
});

settings('are all there', () => {
  assert.throws(
    () => new Settings({ 'server.hz': 10 } as ShardSettingValues),
    /receives the setting/,
  );
});

settings.run();
