/** Discarded parts of a stream: their start, their kept part, and that none is reported twice. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { commandBytes } from '#resp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DiscardedWrites, type Discard } from './discarded-writes.ts';
import { StreamMark } from './stream-mark.ts';

const discards = suite('discarded writes');

const OWN = 'a'.repeat(40);
const NEW = 'b'.repeat(40);
const WRITE = commandBytes(['SET', 'key', 'value']);

let folder: string;
discards.before.each(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-discards-'));
});
discards.after.each(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Wish {
  /** Writes that the stream has, and those of the end that the backlog still has. */
  readonly writes: number;
  readonly kept?: number;
  readonly highest?: number;
  readonly bytesMax?: number;
}

function played({ writes, kept = writes, highest = -1, bytesMax = 1_000_000 }: Wish) {
  const reported: Discard[] = [];
  const counts = new Map<string, number>();
  let timeMs = Date.UTC(2026, 0, 1);
  const end = writes * WRITE.length;
  const begin = (writes - kept) * WRITE.length;
  const stream = Buffer.concat(Array.from({ length: writes }, () => WRITE));
  const discarded = new DiscardedWrites({
    settings: {
      number: () => bytesMax,
      string: () => folder,
      boolean: () => true,
    },
    primary: {
      offset: end,
      acks: { highest },
      stream: {
        id: OWN,
        kept: (_id: string, from: number, to: number) => ({
          from: Math.max(from, begin),
          bytes: stream.subarray(Math.max(from, begin), to),
          database: 0,
          lastDatabase: 0,
        }),
      },
    },
    page: { add: (name: string, by: number) => counts.set(name, (counts.get(name) ?? 0) + by) },
    clock: { wallMs: () => (timeMs += 1_000) },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  } as never);
  discarded.follow((discard) => {
    reported.push(discard);
  });
  return { discarded, told: reported, counts };
}

/** Past of a primary that has taken over behind some writes. */
function pastBehind(writes: number) {
  return { id: NEW, offset: 10_000, secondId: OWN, secondOffset: writes * WRITE.length };
}

function filesIn(): readonly string[] {
  const found = path.join(folder, 'discarded-writes');
  return existsSync(found) ? readdirSync(found) : [];
}

discards('begin where the primary has taken over', async () => {
  const { discarded, told: reported, counts } = played({ writes: 10 });
  await discarded.take(pastBehind(7), 'host:1');
  const [discard] = reported;
  assert.equal([discard?.writes, discard?.bytes, discard?.lacks], [3, 3 * WRITE.length, '']);
  assert.equal(
    [...counts],
    [
      ['discardedWrites', 3],
      ['discardedBytes', 3 * WRITE.length],
    ],
  );
  const text = readFileSync(discard!.file!, 'utf8');
  const select = Buffer.from(commandBytes(['SELECT', '0'])).toString();
  assert.is(text, select + Buffer.from(WRITE).toString().repeat(3));
});

discards('are none where the primary has everything', async () => {
  const { discarded, told: reported } = played({ writes: 10 });
  await discarded.take(pastBehind(10), 'host:1');
  await discarded.take(pastBehind(12), 'host:1');
  assert.equal([reported, filesIn()], [[], []]);
});

discards('are told of once, however often the data begin to come', async () => {
  const { discarded, told: reported } = played({ writes: 10 });
  await discarded.take(pastBehind(7), 'host:1');
  await discarded.take(pastBehind(7), 'host:1');
  assert.is(reported.length, 1);
});

discards(
  'of which the backlog has only the end are counted as bytes, and said to be not kept',
  async () => {
    const { discarded, told: reported } = played({ writes: 10, kept: 2 });
    await discarded.take(pastBehind(5), 'host:1');
    const [discard] = reported;
    assert.equal(
      [discard?.writes, discard?.bytes, discard?.unkeptBytes],
      [2, 5 * WRITE.length, 3 * WRITE.length],
    );
    assert.match(discard!.lacks, 'the backlog no longer had them');
  },
);

discards(
  'behind a border that is not told are those that no replica has acknowledged',
  async () => {
    const { discarded, told: reported } = played({ writes: 10, highest: 8 * WRITE.length });
    await discarded.take(undefined, 'host:1');
    assert.is(reported[0]?.writes, 2);
    assert.match(reported[0]!.lacks, 'that no replica had acknowledged');
  },
);

discards('are none where another server is copied on purpose', async () => {
  const { discarded, told: reported } = played({ writes: 10 });
  await discarded.take(
    { id: NEW, offset: 5, secondId: '0'.repeat(40), secondOffset: -1 },
    'host:1',
  );
  assert.equal(reported, []);
});

discards('are in no file where none is wanted', async () => {
  const { discarded, told: reported } = played({ writes: 10, bytesMax: 0 });
  await discarded.take(pastBehind(7), 'host:1');
  assert.equal(
    [reported[0]?.file, reported[0]?.bytes, filesIn()],
    [undefined, 3 * WRITE.length, []],
  );
  assert.match(reported[0]!.lacks, 'discarded-writes-max-bytes is 0');
});

discards('of a process that was killed are counted by the mark that it has left', async () => {
  const mark = new StreamMark(folder);
  await mark.note({ id: OWN, offset: 1_000 });
  const last = mark.note({ id: OWN, offset: 9 * WRITE.length });
  // One is written at a time, and only closing the file waits for it.
  await mark.note({ id: OWN, offset: 10 * WRITE.length });
  await mark.close();
  await last;
  const { discarded, told: reported } = played({ writes: 0 });
  assert.ok(discarded.mayBe);
  await discarded.take(pastBehind(7), 'host:1');
  const [discard] = reported;
  assert.equal(
    [discard?.writes, discard?.bytes, discard?.unkeptBytes, discard?.file],
    [0, 2 * WRITE.length, 2 * WRITE.length, undefined],
  );
  assert.match(discard!.lacks, `at least ${2 * WRITE.length} bytes`);
  // Once is enough, and a primary that has all of it lacks nothing.
  await discarded.take(pastBehind(7), 'host:1');
  const second = played({ writes: 0 });
  await second.discarded.take(pastBehind(9), 'host:1');
  assert.equal([reported.length, second.told.length], [1, 0]);
});

discards('leave room for later ones', async () => {
  const { discarded, told: reported } = played({ writes: 100, bytesMax: 6_000 });
  for (let behind = 0; behind < 100; behind += 10) {
    await discarded.take(pastBehind(behind), 'host:1');
  }
  assert.is(reported.length, 10);
  const last = path.basename(reported.at(-1)!.file!);
  assert.ok(filesIn().includes(last));
  assert.not.ok(filesIn().includes(path.basename(reported[0]!.file!)));
});

discards.run();
