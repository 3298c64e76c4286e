/** The built web UI: files of one folder, found when the thread starts and never looked for by a request's name. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { HTML_TYPE, HttpError, JSON_TYPE, type Answer } from '../protocol/answer.ts';
import { tagOf } from '../protocol/encoding.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': HTML_TYPE,
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': JSON_TYPE,
  '.map': JSON_TYPE,
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};
/** A file whose name holds a hash of its content never changes. */
const HASHED = /[-.][\w-]{8,}\.\w+$/;
const FOREVER = 'public, max-age=31536000, immutable';

/** The build has put them beside the file; `br` is the smaller one. */
const ENCODINGS: readonly (readonly [encoding: string, suffix: string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
];

function encodingsOf(file: string): Record<string, Buffer> {
  const built = ENCODINGS.filter(([, suffix]) => existsSync(file + suffix));
  return Object.fromEntries(
    built.map(([encoding, suffix]) => [encoding, readFileSync(file + suffix)]),
  );
}

export class StaticFiles {
  readonly #files = new Map<string, Answer>();

  /** A folder that does not exist has no files. */
  constructor(folder: string) {
    if (!existsSync(folder)) return;
    const found = readdirSync(folder, { recursive: true, withFileTypes: true });
    for (const entry of found.filter((each) => each.isFile())) {
      const file = path.join(entry.parentPath, entry.name);
      const name = path.relative(folder, file).split(path.sep).join('/');
      const type = TYPES[path.extname(name)];
      if (type === undefined) continue;
      const body = readFileSync(file);
      const caching = HASHED.test(name) ? FOREVER : 'no-cache';
      const headers = { 'Cache-Control': caching, ETag: tagOf(body) };
      this.#files.set(name, { status: 200, type, body, headers, encodings: encodingsOf(file) });
    }
  }

  find(name: string): Answer | undefined {
    return this.#files.get(name);
  }

  get(name: string): Answer {
    const file = this.find(name);
    if (file === undefined) throw new HttpError(404, 'not found');
    return file;
  }
}
