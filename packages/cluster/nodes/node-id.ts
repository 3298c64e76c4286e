/**
 * The id of this server as a node, and that of its cluster. They are stored with the data: a node that has lost its
 * data is another node, since it cannot be the primary of that data; and data of one cluster does not belong to
 * another.
 */

import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolders } from '#base';
import type { Settings } from '#config';
import type { ClusterIdentity } from '../agreement/cluster-view.ts';

/** In the data folder: the node's id in a line, and that of its cluster in the next, once it has one. */
const FILE = 'cluster-node';
const ID = /^[0-9a-f]{40}$/;

export class NodeId implements ClusterIdentity {
  readonly #file: string | undefined;
  value: string;
  #clusterId: string;

  /** Reads it, or draws one. */
  constructor(settings: Settings) {
    const keeps = settings.boolean('persistence.enabled');
    this.#file = keeps ? path.join(settings.string('persistence.data-dir'), FILE) : undefined;
    const known = this.#file === undefined ? undefined : readIds(this.#file);
    const [value, clusterId] = known ?? [newId(), ''];
    this.value = value;
    this.#clusterId = clusterId;
    if (known === undefined) this.#write();
  }

  get clusterId(): string {
    return this.#clusterId;
  }

  newClusterId(): string {
    return newId();
  }

  joined(clusterId: string): void {
    this.#clusterId = clusterId;
    this.#write();
  }

  /** Draws another, of no cluster. */
  renew(): string {
    this.value = newId();
    this.#clusterId = '';
    this.#write();
    return this.value;
  }

  #write(): void {
    if (this.#file === undefined) return;
    makeFolders(path.dirname(this.#file));
    const draft = `${this.#file}.new`;
    const lines = [this.value, this.#clusterId].filter((line) => line !== '');
    writeFileSync(draft, `${lines.join('\n')}\n`);
    renameSync(draft, this.#file);
  }
}

/** Draws an id of a node, a cluster, a group or a run. */
export function newId(): string {
  return randomBytes(20).toString('hex');
}

/** Reads the ids of the node and of its cluster, which is empty where it has none. */
function readIds(file: string): readonly [node: string, cluster: string] | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const [node = '', cluster, ...rest] = text.split('\n');
  if (!ID.test(node) || !ID.test(cluster ?? node) || rest.length > 0) {
    throw new Error(`${file} contains no node id; restore or remove it`);
  }
  return [node, cluster ?? ''];
}
