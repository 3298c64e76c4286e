/** Reused objects of a thread release their references together. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ByteViews } from './byte-views.ts';
import { letReusedGo, reused } from './reused.ts';

const objects = suite('reused objects');

objects('are told to let go, each time', () => {
  let reported = 0;
  const thing = {
    letGo: () => {
      reported += 1;
    },
  };
  assert.is(reused(thing), thing);
  letReusedGo();
  letReusedGo();
  assert.is(reported, 2);
});

objects('views of bytes are among them', () => {
  const views = new ByteViews();
  const bytes = new Uint8Array(1_024);
  views.of(bytes);
  const view = views.of(bytes);
  assert.is(view?.buffer, bytes.buffer);
  letReusedGo();
  assert.is(views.of(bytes), undefined, 'the bytes are seen for the first time again');
});

objects.run();
