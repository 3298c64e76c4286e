import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { LogRecord } from '#base';
import { until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { LogFileOptions } from './log-file.ts';
import { LogWriter } from './log-writer.ts';
import type { LogWriterOptions } from './winston-log.ts';

const writing = suite('log writer');
let folder = '';

writing.before.each(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'log-'));
});
writing.after.each(() => rmSync(folder, { recursive: true, force: true }));

const record: LogRecord = {
  time: Date.UTC(2030, 0, 2, 3, 4, 5, 6),
  level: 'info',
  thread: 'shard-0',
  event: 'some-event',
  message: 'Something happened',
  fields: { keys: 3, name: 'a b', ok: true, none: null, message: 'mine', error: 'Error: x' },
};

/** Writes through a writer and returns what reached its descriptor. */
async function written(
  options: Partial<LogWriterOptions>,
  body: (writer: LogWriter) => void | Promise<void>,
): Promise<string> {
  const file = path.join(folder, 'out');
  const descriptor = openSync(file, 'w');
  const writer = new LogWriter({
    level: 'info',
    format: 'pretty',
    output: 'stdout',
    hidesUserData: false,
    descriptor,
    ...options,
  });
  await writer.ready();
  await body(writer);
  await writer.close();
  closeSync(descriptor);
  return readFileSync(file, 'utf8');
}

const fileOptions = (options: Partial<LogFileOptions> = {}): LogFileOptions => ({
  path: path.join(folder, 'logs', 'svc.log'),
  sizeMbMax: 0,
  frequency: 'never',
  filesMax: 0,
  ...options,
});

writing('writes pretty lines', async () => {
  const text = await written({}, (writer) => writer.write([record]));
  assert.is(
    text,
    '2030-01-02T03:04:05.006Z INFO  shard-0 some-event Something happened keys=3 name="a b" ok=true none=null message=mine error="Error: x"\n',
  );
});

writing('writes json lines with stable fields', async () => {
  const text = await written({ format: 'json' }, (writer) =>
    writer.write([{ ...record, fields: { ...record.fields, level: 9 } }]),
  );
  assert.equal(JSON.parse(text), {
    ts: '2030-01-02T03:04:05.006Z',
    level: 'info',
    msg: 'Something happened',
    thread: 'shard-0',
    event: 'some-event',
    ...record.fields,
    level_: 9,
  });
});

writing('lets nobody forge lines or colours', async () => {
  const message = 'one\r\nERROR two \u001b[31mred';
  const pretty = await written({}, (writer) =>
    writer.write([{ ...record, message, fields: { a: 'x\ny' } }]),
  );
  assert.match(pretty, 'one\\r\\nERROR two \\u001b[31mred a="x\\ny"');
  assert.is(pretty.split('\n').length, 2);
  const json = await written({ format: 'json' }, (writer) =>
    writer.write([{ ...record, message }]),
  );
  assert.is(json.split('\n').length, 2);
});

writing('follows its level while running', async () => {
  const text = await written({ level: 'warn' }, (writer) => {
    writer.write([record]);
    writer.setLevel('trace');
    writer.write([{ ...record, level: 'trace' }]);
    writer.setLevel('error');
    writer.write([{ ...record, level: 'warn' }]);
  });
  assert.equal(text.match(/TRACE|INFO|WARN/g), ['TRACE']);
});

writing('keeps the latest lines in memory, also without any output', async () => {
  const text = await written({ output: 'none' }, (writer) => {
    for (let index = 0; index < 1_010; index += 1) {
      writer.write([{ ...record, message: `line ${index} ${'x'.repeat(10_000)}`, fields: {} }]);
    }
    assert.is(writer.recentAfter(0).length, 1_000);
    assert.match(writer.recentAfter(0)[0]!.line, ' line 10 ');
    assert.is(writer.recentAfter(0)[0]!.number, 11);
    assert.is(writer.recentAfter(1_007).length, 3);
    assert.is(writer.recentAfter(5_000).length, 0);
    assert.ok(writer.recentAfter(0)[0]!.record.message.length <= 4_096);
    assert.ok(writer.recentAfter(0)[0]!.line.length <= 4_096);
  });
  assert.is(text, '');
});

writing('drops what cannot be written in time, and says so', async () => {
  const MANY = 25_000;
  let more = 0;
  const text = await written({}, async (writer) => {
    writer.write(Array.from({ length: MANY }, () => record));
    const isReported = (): boolean => {
      more += 1;
      writer.write([record]);
      return writer.droppedLines > 0;
    };
    await until(isReported, 'there is room for a line that tells of it');
    assert.ok(writer.droppedLines > 10_000);
  });
  const lines = text.trimEnd().split('\n');
  const [, dropped] = /log-lines-dropped .*lines=(\d+)/.exec(text) ?? [];
  assert.is(lines.length - 1 + Number(dropped), MANY + more);
});

writing('survives a reader that is gone', async () => {
  const closed = openSync(path.join(folder, 'closed'), 'w');
  closeSync(closed);
  const writer = new LogWriter({
    level: 'info',
    format: 'json',
    output: 'stdout',
    hidesUserData: false,
    descriptor: closed,
  });
  writer.write([record, record]);
  await writer.close();
  assert.is(writer.recentAfter(0).length, 2);
});

writing('writes a file as well, in folders it makes', async () => {
  await written({ file: fileOptions() }, (writer) => writer.write([record, record]));
  const text = readFileSync(path.join(folder, 'logs', 'svc.log'), 'utf8');
  assert.is(text.split('some-event').length - 1, 2);
});

writing('keeps the order of lines that come before the file is opened', async () => {
  const messages = ['one', 'two', 'three'];
  const text = await written({ file: fileOptions() }, (writer) => {
    for (const message of messages) writer.write([{ ...record, message, fields: {} }]);
  });
  assert.equal(text.match(/one|two|three/g), messages);
  assert.is(readFileSync(path.join(folder, 'logs', 'svc.log'), 'utf8'), text);
});

writing('names files by day and hour, and always the same list of them', async () => {
  const names: string[] = [];
  for (const frequency of ['daily', 'hourly'] as const) {
    await written({ file: fileOptions({ frequency, filesMax: 3 }) }, (writer) =>
      writer.write([record]),
    );
    names.push(...readdirSync(path.join(folder, 'logs')));
  }
  assert.equal(
    new Set(names.filter((name) => name.startsWith('.'))),
    new Set(['.svc.log.audit.json']),
  );
  assert.ok(
    names.some((name) => /^svc\.log\.\d{4}-\d\d-\d\d$/.test(name)),
    names.join(),
  );
  assert.ok(
    names.some((name) => /^svc\.log\.\d{4}-\d\d-\d\d-\d\d$/.test(name)),
    names.join(),
  );
});

for (const frequency of ['daily', 'hourly', 'never'] as const) {
  writing(
    `has the configured name for the file that is written, rotated ${frequency}`,
    async () => {
      const file = fileOptions({ frequency, sizeMbMax: 1 });
      await written({ file }, (writer) => writer.write([record]));
      await written({ file }, (writer) => writer.write([record]));
      assert.is(readFileSync(file.path, 'utf8').split('some-event').length - 1, 2);
    },
  );
}

writing('loses nothing when it is rotated from now on, and when no longer', async () => {
  const file = fileOptions();
  const names = (): string[] =>
    readdirSync(path.dirname(file.path)).filter((name) => !name.startsWith('.'));
  await written({ file }, (writer) => writer.write([record]));
  await written({ file: { ...file, frequency: 'daily' } }, (writer) => writer.write([record]));
  assert.is(names().length, 3, names().join());
  await written({ file }, (writer) => writer.write([record]));
  assert.is(names().length, 3, names().join());
  for (const name of names()) {
    const text = readFileSync(path.join(path.dirname(file.path), name), 'utf8');
    assert.is(text.split('some-event').length - 1, 1, name);
  }
});

writing('begins a new file at its size and keeps only so many', async () => {
  const big = { ...record, message: 'x'.repeat(100_000), fields: {} };
  const file = fileOptions({ sizeMbMax: 1, filesMax: 2, frequency: 'daily' });
  /** Name and size of the file that is being written. */
  const newest = (): string =>
    existsSync(file.path) ? `${readlinkSync(file.path)} ${statSync(file.path).size}` : '';
  await written({ output: 'none', file }, async (writer) => {
    for (let index = 0; index < 50; index += 1) {
      const before = newest();
      writer.write([big]);
      await until(() => newest() !== before, 'the line is in the file');
    }
  });
  const files = readdirSync(path.join(folder, 'logs')).filter((name) =>
    /^svc\.log\..*\d/.test(name),
  );
  assert.is(files.length, 2, files.join());
});

writing('opens the file anew when it was moved away, and loses no line', async () => {
  const file = fileOptions();
  await written({ file }, async (writer) => {
    writer.write([{ ...record, message: 'before' }]);
    await until(() => existsSync(file.path), 'the file is opened');
    renameSync(file.path, `${file.path}.1`);
    writer.write([{ ...record, message: 'to the moved one' }]);
    writer.reopenFile(record.time);
    writer.write([{ ...record, message: 'after' }]);
    await until(() => existsSync(file.path), 'the new file is opened');
    await until(() => readFileSync(file.path, 'utf8').includes('after'), 'the new file has it');
  });
  const moved = readFileSync(`${file.path}.1`, 'utf8');
  const own = readFileSync(file.path, 'utf8');
  assert.match(moved, / before .*\n.* to the moved one /);
  assert.match(own, /^.* log-file-reopened .*\n.* after .*\n$/);
});

writing('keeps lines that come before winston is loaded, in their order', async () => {
  const file = path.join(folder, 'early');
  const descriptor = openSync(file, 'w');
  const writer = new LogWriter({
    level: 'warn',
    format: 'json',
    output: 'stdout',
    hidesUserData: false,
    descriptor,
  });
  writer.write([{ ...record, level: 'warn', message: 'one' }, record]);
  writer.setLevel('info');
  writer.write([{ ...record, message: 'two' }]);
  assert.equal(writer.recentAfter(0), []);
  await writer.ready();
  writer.write([{ ...record, message: 'three' }]);
  assert.is(writer.recentAfter(0).length, 3);
  await writer.close();
  closeSync(descriptor);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  assert.equal(
    lines.map((line) => (JSON.parse(line) as { msg: string }).msg),
    ['one', 'two', 'three'],
  );
});

writing('has nothing to open anew without a file', async () => {
  const text = await written({}, (writer) => {
    writer.reopenFile(record.time);
  });
  assert.is(text, '');
});

writing('tells once of a file that cannot be written, and goes on', async () => {
  writeFileSync(path.join(folder, 'logs'), 'a file where the folder should be');
  let tries = 0;
  const file = {
    ...fileOptions(),
    get path() {
      tries += 1;
      return path.join(folder, 'logs', 'svc.log');
    },
  };
  const text = await written({ file }, async (writer) => {
    for (let index = 0; index < 5; index += 1) {
      tries = 0;
      writer.write([{ ...record, time: record.time + index * 60_000 }]);
      await until(() => tries > 0, 'it is tried again');
    }
  });
  assert.is(text.split('log-file-failed').length - 1, 1);
  assert.is(text.split('some-event').length - 1, 5);
});

writing('goes on with the file once it can be written again', async () => {
  const blocked = path.join(folder, 'logs');
  writeFileSync(blocked, '');
  const writer = new LogWriter({
    level: 'info',
    format: 'json',
    output: 'none',
    hidesUserData: false,
    file: fileOptions(),
  });
  writer.write([record]);
  const failed = (): boolean =>
    writer.recentAfter(0).some(({ line }) => line.includes('log-file-failed'));
  await until(failed, 'it has failed');
  rmSync(blocked);
  writer.write([{ ...record, time: record.time + 60_000 }]);
  await writer.close();
  assert.match(readFileSync(path.join(blocked, 'svc.log'), 'utf8'), 'some-event');
});

writing('survives a file that fails when it is opened', async () => {
  const text = await written(
    { file: fileOptions({ path: '/proc/version/none/svc.log' }) },
    (writer) => writer.write([record]),
  );
  assert.match(text, 'log-file-failed');
  assert.not.match(text, '1970');
});

writing.run();
