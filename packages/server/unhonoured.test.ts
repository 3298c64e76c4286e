import { load } from '#config';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { refuseUnhonoured, UNHONOURED } from './unhonoured.ts';

const unhonoured = suite('unhonoured');

function settings(...args: string[]) {
  return load({ args, environment: {}, folder: '/nowhere' }).settings;
}

unhonoured('lets the defaults pass', () => {
  refuseUnhonoured(settings('--set', 'slowlog.max-len=128'));
});

unhonoured('refuses at the start what was set to something else', () => {
  assert.throws(() => {
    refuseUnhonoured(settings('--set', 'slowlog.max-len=5'));
  }, /slowlog\.max-len cannot be set: this version does not have/);
});

unhonoured('refuses CONFIG SET, and leaves the value', () => {
  const running = settings();
  refuseUnhonoured(running);
  assert.throws(() => {
    running.configSet([['slowlog-max-len', '5']]);
  }, /possibly related to argument 'slowlog-max-len'\) - this version does not have/);
  assert.equal(running.configGet(['slowlog-max-len']), [['slowlog-max-len', '128']]);
  running.configSet([['slowlog-max-len', '128']]);
});

unhonoured('names each setting once', () => {
  assert.is(new Set(UNHONOURED).size, UNHONOURED.length);
});

unhonoured.run();
