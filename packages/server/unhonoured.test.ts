import { load } from '#config';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { refuseUnhonoured, UNHONOURED } from './unhonoured.ts';

const unhonoured = suite('unhonoured');

function settings(...args: string[]) {
  return load({ args, environment: {}, folder: '/nowhere' }).settings;
}

unhonoured('lets the defaults pass', () => {
  refuseUnhonoured(settings('--set', 'replication.primary-port=6379'));
});

unhonoured('refuses at the start what was set to something else', () => {
  assert.throws(() => {
    refuseUnhonoured(settings('--set', 'replication.primary-port=7'));
  }, /replication\.primary-port cannot be set: this version does not have/);
});

unhonoured('refuses CONFIG SET, and leaves the value', () => {
  const running = settings();
  refuseUnhonoured(running);
  const [before] = running.configGet(['lazyfree-lazy-user-del']);
  assert.throws(() => {
    running.configSet([['lazyfree-lazy-user-del', 'yes']]);
  }, /possibly related to argument 'lazyfree-lazy-user-del'\) - this version does not have/);
  assert.equal(running.configGet(['lazyfree-lazy-user-del']), [before]);
  running.configSet([['lazyfree-lazy-user-del', before![1]]]);
});

unhonoured('names each setting once', () => {
  assert.is(new Set(UNHONOURED).size, UNHONOURED.length);
});

unhonoured.run();
