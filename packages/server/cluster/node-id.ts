/**
 * The id of this server as a node. It is kept with the data: a node that has lost its data is another node, since it could
 * not be the primary of what it had.
 */

import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolders } from '#base';
import type { Settings } from '#config';

/** In the data folder. */
const FILE = 'cluster-node';
const ID = /^[0-9a-f]{40}$/;

export class NodeId {
  readonly #file: string | undefined;
  value: string;

  /** Reads it, or draws one. */
  constructor(settings: Settings) {
    const keeps = settings.boolean('persistence.enabled');
    this.#file = keeps ? path.join(settings.string('persistence.data-dir'), FILE) : undefined;
    const known = this.#file === undefined ? undefined : readId(this.#file);
    this.value = known ?? newId();
    if (known === undefined) this.#write();
  }

  /** Draws another. */
  renew(): string {
    this.value = newId();
    this.#write();
    return this.value;
  }

  #write(): void {
    if (this.#file === undefined) return;
    makeFolders(path.dirname(this.#file));
    const draft = `${this.#file}.new`;
    writeFileSync(draft, `${this.value}\n`);
    renameSync(draft, this.#file);
  }
}

/** Draws an id of a node, a group or a run. */
export function newId(): string {
  return randomBytes(20).toString('hex');
}

function readId(file: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  if (!ID.test(text)) throw new Error(`${file} holds no id of a node; restore or remove it`);
  return text;
}
