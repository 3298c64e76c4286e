/** Heads of files: their fields, and errors for damaged ones. */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BlockReader, DamagedFile } from './block-reader.ts';
import {
  decodeFileHead,
  encodeFileHead,
  type FileHead,
  FileHeadError,
  FORMATS,
} from './file-head.ts';

const heads = suite('heads of files');

const folder = fs.mkdtempSync(path.join(tmpdir(), 'svc-head-'));
heads.after(() => {
  fs.rmSync(folder, { recursive: true });
});

const USUAL_HEAD = {
  shard: 1,
  shards: 3,
  number: 9,
  epoch: 4,
  createdMs: 1_700_000_000_000.5,
  previous: 8,
  lostBefore: 3,
  brokenMs: 1_700_000_000_001.5,
  foundation: 9,
};
const HEAD = { ...USUAL_HEAD, format: FORMATS.log };

heads('a head comes back as it was, and says what is wrong with it', () => {
  const bytes = Buffer.from(encodeFileHead('log', HEAD));
  assert.equal(decodeFileHead('log', bytes), HEAD);
  const reasonOf = (head: Buffer, kind: 'log' | 'snapshot' = 'log'): string => {
    try {
      decodeFileHead(kind, head);
    } catch (error) {
      assert.instance(error, FileHeadError);
      return (error as Error).message;
    }
    return 'nothing';
  };
  assert.is(reasonOf(bytes.subarray(0, -1)), 'ends within its head');
  assert.is(reasonOf(bytes, 'snapshot'), 'is no snapshot of this server');
  for (let at = 0; at < bytes.length; at += 1) {
    const harmed = Buffer.from(bytes);
    harmed[at] = harmed[at]! ^ 0x80;
    assert.match(
      reasonOf(harmed),
      /is no log of this server|has format|has a damaged head/,
      `${at}`,
    );
  }
  const newer = Buffer.from(bytes);
  newer.writeUInt32LE(FORMATS.log + 1, 8);
  assert.is(
    reasonOf(newer),
    `has format ${FORMATS.log + 1}; this version reads up to ${FORMATS.log}`,
  );
});

heads('a file without a head of its kind is damaged at its beginning', () => {
  const file = path.join(folder, 'file');
  for (const bytes of ['', 'x'.repeat(100), encodeFileHead('snapshot', HEAD)]) {
    fs.writeFileSync(file, bytes);
    try {
      new BlockReader('log', file);
      assert.unreachable('it was read');
    } catch (error) {
      assert.instance(error, DamagedFile);
      assert.is((error as DamagedFile).offset, 0);
    }
  }
});

heads('a file is of the newest format, if no other is given', () => {
  for (const kind of ['log', 'snapshot'] as const) {
    const formatOf = (head: FileHead): number | undefined =>
      decodeFileHead(kind, Buffer.from(encodeFileHead(kind, head))).format;
    assert.is(formatOf(USUAL_HEAD), FORMATS[kind]);
    assert.is(formatOf({ ...USUAL_HEAD, format: 1 }), 1);
  }
});

heads.run();
