import { readFileSync } from 'node:fs';

/** Returns the text of a file of the system; undefined without it. */
export type ReadText = (file: string) => string | undefined;

/** Reads a file of `/proc` or `/sys`. */
export const systemText: ReadText = (file) => {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined;
  }
};
