/**
 * Names the sources in a profile of a thread, which knows only lines of the file that the thread's program was bundled
 * into. In a thread of its own: the source map of a program takes some 0.2 s to read.
 */

import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The JSON of a .cpuprofile file, as far as it is read. */
interface Profile {
  readonly nodes: readonly { readonly callFrame: CallFrame }[];
}

/** Place of a function, from 0. */
interface CallFrame {
  url: string;
  lineNumber: number;
  columnNumber: number;
}

/** Returns the profile with the sources that have a map; the others, as Node's own, stay as they are. */
export function namePositions(profile: Uint8Array): Uint8Array {
  const parsed = JSON.parse(Buffer.from(profile).toString()) as Profile;
  const maps = new Map<string, SourceMap | undefined>();
  for (const { callFrame } of parsed.nodes) {
    const file = callFrame.url.startsWith('file:') ? fileURLToPath(callFrame.url) : callFrame.url;
    if (!maps.has(file)) maps.set(file, sourceMapOf(file));
    const entry = maps.get(file)?.findEntry(callFrame.lineNumber, callFrame.columnNumber);
    if (entry === undefined || !('originalSource' in entry)) continue;
    callFrame.url = path.resolve(path.dirname(file), entry.originalSource);
    callFrame.lineNumber = entry.originalLine;
    callFrame.columnNumber = entry.originalColumn;
  }
  return Uint8Array.from(Buffer.from(JSON.stringify(parsed)));
}

function sourceMapOf(file: string): SourceMap | undefined {
  const map = `${file}.map`;
  if (!path.isAbsolute(file) || !existsSync(map)) return undefined;
  return new SourceMap(JSON.parse(readFileSync(map, 'utf8')) as SourceMapPayload);
}
