import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ByteViews } from './byte-views.ts';

const viewing = suite('byte-views');

const LARGE = 1024;

viewing('makes a view of what is seen twice running, and keeps it', () => {
  const views = new ByteViews();
  const memory = new Uint8Array(LARGE + 8).subarray(8);
  assert.is(views.of(memory), undefined);
  const view = views.of(memory)!;
  assert.is(view.buffer, memory.buffer);
  assert.is(view.byteOffset, 8);
  assert.is(view.byteLength, LARGE);
  assert.is(views.of(memory), view);
});

viewing('makes no view of little memory', () => {
  const views = new ByteViews();
  const memory = new Uint8Array(8);
  for (let time = 0; time < 3; time += 1) assert.is(views.of(memory), undefined);
});

viewing('keeps the views of two that are used in turn', () => {
  const views = new ByteViews();
  const [one, other] = [new Uint8Array(LARGE), new Uint8Array(LARGE)];
  for (const memory of [one, one, other, other]) views.of(memory);
  const kept = [views.of(one), views.of(other)];
  assert.ok(kept.every((view) => view !== undefined));
  for (let time = 0; time < 3; time += 1) {
    assert.is(views.of(one), kept[0]);
    assert.is(views.of(other), kept[1]);
  }
});

viewing('lets go of the older view for a third', () => {
  const views = new ByteViews();
  const [first, second, third] = [0, 1, 2].map(() => new Uint8Array(LARGE));
  for (const memory of [first, first, second, second, third, third]) views.of(memory!);
  assert.ok(views.of(second!));
  assert.is(views.of(third!)!.buffer, third!.buffer);
  assert.is(views.of(first!), undefined);
});

viewing.run();
