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
  const reported = new Settings({ ...zeros, 'server.hz': 10, 'key-prefixes.prefixes': ['a:'] });
  let seen = 0;
  reported.follow((now) => {
    seen = now.number('server.hz');
  });
  assert.equal([seen, reported.strings('key-prefixes.prefixes')], [10, ['a:']]);
  const { revision } = reported;
  reported.update({ 'server.hz': 20 });
  assert.equal([seen, reported.all['server.hz']], [20, 20]);
  assert.is.not(reported.revision, revision);
});

settings('have no other names and no other kinds', () => {
  const reported = new Settings({ ...zeros, 'memory.active-defrag': true });
  const wrong = [
    // @ts-expect-error -- shards do not receive where clients connect to
    () => reported.number('port'),
    // @ts-expect-error -- that is its name in CONFIG
    () => reported.number('maxmemory'),
    // @ts-expect-error -- yes or no is no number
    () => reported.number('memory.active-defrag'),
    // @ts-expect-error -- one number is no list
    () => reported.numbers('server.hz'),
    // @ts-expect-error -- a number is no text
    () => reported.string('server.hz'),
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
