import { load } from '#config';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { refuseUnhonoured, UNHONOURED } from './unhonoured.ts';

const unhonoured = suite('unhonoured');

function settings(...args: string[]) {
  return load({ args, environment: {}, folder: '/nowhere' }).settings;
}

unhonoured('lets the defaults pass', () => {
  refuseUnhonoured(settings('--set', 'debug-bundle.max-bundles=10'));
});

unhonoured('refuses at the start what was set to something else', () => {
  assert.throws(() => {
    refuseUnhonoured(settings('--set', 'debug-bundle.max-bundles=5'));
  }, /debug-bundle\.max-bundles cannot be set: this version does not have/);
});

unhonoured('refuses CONFIG SET, and leaves the value', () => {
  const running = settings();
  refuseUnhonoured(running);
  assert.throws(() => {
    running.configSet([['debug-bundle-max-bundles', '5']]);
  }, /possibly related to argument 'debug-bundle-max-bundles'\) - this version does not have/);
  assert.equal(running.configGet(['debug-bundle-max-bundles']), [
    ['debug-bundle-max-bundles', '10'],
  ]);
  running.configSet([['debug-bundle-max-bundles', '10']]);
});

unhonoured('names each setting once', () => {
  assert.is(new Set(UNHONOURED).size, UNHONOURED.length);
});

unhonoured.run();
