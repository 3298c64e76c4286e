/** Packs a diagnostic bundle, in a thread of its own. A bundle is there whole, or not at all. */

import { createHash } from 'node:crypto';
import { createWriteStream, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { TarArchive } from 'archiver';
import { makeFolders } from '#base';
import type { BundleFile, BundleResult, BundleTask } from '#stats';

/** File mode of a bundle, whose content is for its reader only. */
const MODE = 0o600;

export async function packBundle(task: BundleTask): Promise<BundleResult> {
  const file = path.join(task.folder, task.name);
  const part = path.join(task.folder, `.${task.name}.part`);
  try {
    makeFolders(task.folder, 0o700);
    await write(task, part);
    renameSync(part, file);
    return { isGood: true, bytes: statSync(file).size };
  } catch (error) {
    removePart(part);
    const { code = '', message } = error as NodeJS.ErrnoException;
    return { isGood: false, code, message };
  }
}

function removePart(part: string): void {
  try {
    rmSync(part, { force: true });
  } catch {
    // Without the folder there is no partial file either; the error itself is reported.
  }
}

async function write(task: BundleTask, part: string): Promise<void> {
  const archive = new TarArchive({ gzip: true });
  const written = pipeline(
    archive,
    createWriteStream(part, { mode: MODE, flags: 'wx', flush: true }),
  );
  const date = new Date(task.createdAt);
  const prefix = `svc-bundle-${task.id}`;
  for (const { name, text } of [manifest(task), ...task.files]) {
    archive.append(Buffer.from(text), { name, prefix, date, mode: MODE });
  }
  // A stream that fails settles only the pipeline; waiting for the archive first would be for ever.
  await Promise.all([written, Promise.race([archive.finalize(), written])]);
}

function manifest({ id, createdAt, version, files }: BundleTask): BundleFile {
  const described = files.map(({ name, text }) => ({
    name,
    size_bytes: Buffer.byteLength(text),
    sha256: createHash('sha256').update(text).digest('hex'),
  }));
  const body = { id, created_at: createdAt, version, files: described };
  return { name: 'manifest.json', text: `${JSON.stringify(body, null, 2)}\n` };
}
