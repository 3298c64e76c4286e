/** The place in the stream of replication that belongs to a data folder, and the cases in which none does. */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DataFolder } from './data-folder.ts';
import {
  forgetStreamPlace,
  readStreamPlace,
  writeStreamPlace,
  type KeptPlace,
} from './stream-place.ts';
import { encodeFileHead } from '../blocks/file-head.ts';
import { segmentFile, STREAM_PLACE } from '../layout.ts';

const places = suite('place in the stream');

const PLACE: KeptPlace = {
  id: 'a'.repeat(40),
  offset: 2 ** 40 + 7,
  database: 3,
  secondId: 'b'.repeat(40),
  secondOffset: 5,
  tail: Buffer.from('*1\r\n$4\r\nPING\r\n\n\0'),
};

const base = fs.mkdtempSync(path.join(tmpdir(), 'svc-place-'));
places.after(() => {
  fs.rmSync(base, { recursive: true });
});

let made = 0;

/** A folder with a segment of one shard, and the place of its data. */
function newFolder(): string {
  made += 1;
  const folder = path.join(base, String(made));
  addSegment(folder, 1, 4);
  writeStreamPlace(new DataFolder(folder), PLACE);
  return folder;
}

function addSegment(folder: string, number: number, epoch: number): void {
  const file = segmentFile(folder, 0, number);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const head = encodeFileHead('log', {
    shard: 0,
    shards: 1,
    number,
    epoch,
    createdMs: 0,
    previous: number - 1,
    lostBefore: 0,
    brokenMs: 0,
  });
  fs.writeFileSync(file, head);
}

const read = (folder: string): KeptPlace | undefined => readStreamPlace(new DataFolder(folder));

places('is read as it was written, and again when it is written anew', () => {
  const folder = newFolder();
  const found = read(folder);
  assert.equal({ ...found, tail: Buffer.from(found!.tail) }, PLACE);
  const later = { ...PLACE, offset: 9, tail: new Uint8Array(0) };
  writeStreamPlace(new DataFolder(folder), later);
  assert.is(read(folder)?.offset, 9);
  assert.is(read(folder)?.tail.length, 0);
});

places('counts for nothing once something was written, or another life has begun', () => {
  const longer = newFolder();
  fs.appendFileSync(segmentFile(longer, 0, 1), 'x');
  assert.is(read(longer), undefined);
  const later = newFolder();
  addSegment(later, 2, 5);
  assert.is(read(later), undefined);
  const less = newFolder();
  fs.rmSync(segmentFile(less, 0, 1));
  assert.is(read(less), undefined);
});

places('is not there, was forgotten, or is damaged anywhere', () => {
  const folder = newFolder();
  const file = path.join(folder, STREAM_PLACE);
  const bytes = fs.readFileSync(file);
  for (let at = 0; at < bytes.length; at += 1) {
    const damaged = Buffer.from(bytes);
    damaged[at]! ^= 0x10;
    fs.writeFileSync(file, damaged);
    assert.is(read(folder), undefined, `byte ${at}`);
    fs.writeFileSync(file, bytes.subarray(0, at));
    assert.is(read(folder), undefined, `${at} bytes`);
  }
  forgetStreamPlace(folder);
  assert.is(read(folder), undefined);
});

places.run();
