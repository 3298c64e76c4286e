/** A shared report: replaced as a whole, and too long ones refused. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SharedReport } from './shared-report.ts';

const shared = suite('shared report');

shared('is undefined before the first, then the latest', () => {
  const memory = SharedReport.allocate(64);
  const [writer, reader] = [new SharedReport(memory), new SharedReport(memory)];
  assert.is(reader.read(), undefined);
  for (const text of ['one', '', 'three', 'x'.repeat(64)]) {
    const { version } = reader;
    assert.ok(writer.publish(Buffer.from(text)));
    assert.is.not(reader.version, version);
    assert.is(Buffer.from(reader.read()!).toString(), text);
    assert.is(Buffer.from(reader.read()!).toString(), text, 'read again');
  }
});

shared('keeps the former report when one is too long', () => {
  const writer = new SharedReport(SharedReport.allocate(8));
  assert.ok(writer.publish(Buffer.from('former')));
  assert.not.ok(writer.publish(Buffer.from('far too long')));
  assert.is(Buffer.from(writer.read()!).toString(), 'former');
});

shared('a copy that was read does not change with the next report', () => {
  const report = new SharedReport(SharedReport.allocate(8));
  report.publish(Buffer.from('first'));
  const first = report.read()!;
  for (const text of ['second', 'third']) report.publish(Buffer.from(text));
  assert.is(Buffer.from(first).toString(), 'first');
});

shared.run();
