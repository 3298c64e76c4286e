/** The disk that is one. */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { realDisk } from './disk.ts';

const disk = suite('disk');

const folder = fs.mkdtempSync(path.join(tmpdir(), 'svc-disk-'));
disk.after(() => {
  fs.rmSync(folder, { recursive: true });
});

disk('a write that the system cuts short is gone on with, to the last byte', () => {
  const file = path.join(folder, 'file');
  const pieces = ['', 'one', '', 'another', 'x'].map((text) => Buffer.from(text));
  const { writevSync } = fs;
  const fd = realDisk.create(file);
  try {
    fs.writevSync = (to, buffers) => {
      const all = Buffer.concat(buffers as Buffer[]);
      return fs.writeSync(to, all, 0, Math.min(2, all.length));
    };
    realDisk.append(fd, pieces);
  } finally {
    fs.writevSync = writevSync;
    realDisk.close(fd);
  }
  assert.is(fs.readFileSync(file, 'utf8'), 'oneanotherx');
  assert.throws(() => realDisk.create(file), /EEXIST/);
  assert.equal(realDisk.list(path.join(folder, 'none')), []);
});

disk.run();
