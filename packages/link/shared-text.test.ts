/** A shared text: replaced as a whole, too long ones refused, and read while it is replaced. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SharedText } from './shared-text.ts';

const shared = suite('shared text');

shared('is undefined before the first, then the latest', () => {
  const memory = SharedText.allocate(64);
  const [writer, reader] = [new SharedText(memory), new SharedText(memory)];
  assert.is(reader.read(), undefined);
  for (const text of ['one', '', 'drei \u00fc\u{1f600}', 'x'.repeat(64)]) {
    assert.ok(writer.publish(text));
    assert.is(reader.read(), text);
    assert.is(reader.read(), text, 'read again');
  }
});

shared('keeps the former text when one is too long', () => {
  const writer = new SharedText(SharedText.allocate(8));
  assert.ok(writer.publish('former'));
  assert.not.ok(writer.publish('far too long'));
  assert.is(writer.read(), 'former');
});

shared('changes its version with each text', () => {
  const text = new SharedText(SharedText.allocate(8));
  const { version } = text;
  text.publish('a');
  assert.is.not(text.version, version);
});

shared.run();
