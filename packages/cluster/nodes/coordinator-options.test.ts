/** Addresses of a coordinator in the forms in which they are written. */
import { load } from '#config';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { coordinatorOptions } from './coordinator-options.ts';

const coordinator = suite('coordinator options');

for (const written of ['a:1 b:2 https://c:3', 'a:1,b:2,https://c:3', 'a:1, b:2, https://c:3']) {
  coordinator(`endpoints written as ${written}`, () => {
    const args = ['--set', `cluster.coordinator-endpoints=${written}`];
    const { settings } = load({ args, environment: {}, folder: '/nowhere' });
    assert.equal(coordinatorOptions(settings).endpoints, ['a:1', 'b:2', 'https://c:3']);
  });
}

coordinator.run();
