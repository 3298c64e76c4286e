/** The built web UI: files of one folder, found when the thread starts and never looked for by a request's name. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { HTML_TYPE, HttpError, JSON_TYPE, type Answer } from './answer.ts';

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
      const headers = HASHED.test(name) ? { 'Cache-Control': FOREVER } : {};
      this.#files.set(name, { status: 200, type, body: readFileSync(file), headers });
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
