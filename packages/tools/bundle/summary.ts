/** Summary of one diagnostic bundle. */

import { createHash } from 'node:crypto';
import type {
  ClientReport,
  EventsDocument,
  Health,
  HistoryEvent,
  HotKeysDocument,
  HotWindowDocument,
  SlowlogDocument,
  SlowlogReport,
  StatusDocument,
} from '#api-types';
import type { ArchiveFiles } from './read-archive.ts';
import { changedSettings, type ChangedSetting } from './changed-settings.ts';

const SHOWN_MAX = 10;
const EVENTS_MAX = 50;
const HOUR_MS = 3_600_000;
const MANIFEST = 'manifest.json';

/** Description of a bundle in the bundle itself. */
interface Manifest {
  readonly id: string;
  readonly created_at: string;
  readonly version: string;
  readonly files: readonly { readonly name: string; readonly sha256: string }[];
}

/** Facts about a bundle, as `--json` prints them; a part whose file is missing is null. */
export interface BundleSummary {
  readonly id: string;
  readonly created_at: string;
  readonly version: string;
  readonly uptime_secs: number | null;
  readonly health: Health | null;
  /** Slowest first. */
  readonly slowest: readonly SlowlogReport[] | null;
  /** Largest by memory first. */
  readonly largest_clients: readonly ClientReport[] | null;
  readonly hot_keys: readonly HotKey[] | null;
  /** Settings that differ from the defaults of this version. */
  readonly changed_settings: readonly ChangedSetting[] | null;
  /** Events of the hour before the bundle, newest first. */
  readonly events: readonly HistoryEvent[] | null;
  readonly doctor: string | null;
  /** Files that are missing, damaged, or have an error in place of a document. */
  readonly problems: readonly string[];
}

/** A key of the last window, or of the session if the window is off. */
interface HotKey {
  readonly key: string;
  readonly accesses: string;
}

/** Summarises the files of a bundle; throws an Error if they are not those of one. */
export function summaryOf(files: ArchiveFiles): BundleSummary {
  const { manifest, contents } = withoutPrefix(files);
  const problems = faultsOf(manifest, contents);
  const documents = new Documents(contents, problems);
  const createdMs = Date.parse(manifest.created_at);
  const status = documents.json('status.json') as StatusDocument | null;
  const slowlog = documents.json('slowlog.json') as SlowlogDocument | null;
  const clients = documents.json('clients.json') as ClientsFile | null;
  const events = documents.json('events.json') as EventsDocument | null;
  const hotKeys = documents.json('hot-keys.json') as HotKeysFile | null;
  const toml = documents.text('config.toml');
  documents.others(manifest.files.map(({ name }) => name));
  return {
    id: manifest.id,
    created_at: manifest.created_at,
    version: manifest.version,
    ...stateOf(status),
    slowest: first(slowlog?.entries, (entry) => entry.duration_us),
    largest_clients: first(clients?.clients, (client) => client.memory_bytes),
    hot_keys: hotKeys === null ? null : hotKeysOf(hotKeys),
    changed_settings: toml === null ? null : changedSettings(toml),
    events: events === null ? null : lastHour(events, createdMs),
    doctor: documents.text('doctor.txt')?.trimEnd() ?? null,
    problems,
  };
}

function stateOf(status: StatusDocument | null): Pick<BundleSummary, 'uptime_secs' | 'health'> {
  if (status === null) return { uptime_secs: null, health: null };
  return { uptime_secs: status.frogdb.uptime_secs, health: status.health };
}

/** Returns texts about files that are missing, or other than when the bundle was written. */
function faultsOf(manifest: Manifest, contents: ArchiveFiles): string[] {
  return manifest.files.flatMap(({ name, sha256 }) => {
    const content = contents.get(name);
    if (content === undefined) return [`${name} is missing`];
    const digest = createHash('sha256').update(content).digest('hex');
    return digest === sha256 ? [] : [`${name} is damaged: its checksum differs`];
  });
}

/** Reads files of a bundle, and notes those that cannot be read. */
class Documents {
  readonly #contents: ArchiveFiles;
  readonly #problems: string[];
  readonly #seen = new Set<string>();

  constructor(contents: ArchiveFiles, problems: string[]) {
    this.#contents = contents;
    this.#problems = problems;
  }

  text(name: string): string | null {
    return this.#contents.get(name)?.toString() ?? null;
  }

  json(name: string): unknown {
    this.#seen.add(name);
    const text = this.text(name);
    if (text === null) return null;
    try {
      const document = JSON.parse(text) as { readonly error?: unknown };
      if (typeof document.error !== 'string') return document;
      this.#problems.push(`${name} has an error in place of its document: ${document.error}`);
    } catch (error) {
      this.#problems.push(`${name} is no JSON: ${(error as Error).message}`);
    }
    return null;
  }

  /** Looks for errors in documents that were not read. */
  others(names: readonly string[]): void {
    for (const name of names) {
      if (name.endsWith('.json') && !this.#seen.has(name)) this.json(name);
    }
  }
}

interface ClientsFile {
  readonly clients: readonly ClientReport[];
}

interface HotKeysFile {
  readonly session: HotKeysDocument | null;
  readonly window: HotWindowDocument | null;
}

function withoutPrefix(files: ArchiveFiles): {
  readonly manifest: Manifest;
  readonly contents: ArchiveFiles;
} {
  const place = [...files.keys()].find((name) => /^svc-bundle-[^/]+\/manifest\.json$/.test(name));
  if (place === undefined) throw new Error('it is no diagnostic bundle: it has no manifest.json');
  const prefix = place.slice(0, -MANIFEST.length);
  const contents = new Map(
    [...files].map(([name, content]) => [
      name.startsWith(prefix) ? name.slice(prefix.length) : name,
      content,
    ]),
  );
  try {
    const manifest = JSON.parse(contents.get(MANIFEST)!.toString()) as Manifest;
    if (Array.isArray(manifest.files) && typeof manifest.created_at === 'string') {
      return { manifest, contents };
    }
  } catch {
    // The error below says it.
  }
  throw new Error('it is no diagnostic bundle: its manifest.json cannot be read');
}

/** Returns the entries with the highest figures, or null without a document. */
function first<T>(entries: readonly T[] | undefined, figure: (entry: T) => number): T[] | null {
  if (entries === undefined) return null;
  return [...entries].sort((a, b) => figure(b) - figure(a)).slice(0, SHOWN_MAX);
}

function hotKeysOf({ session, window }: HotKeysFile): HotKey[] {
  const ofWindow = window?.window?.keys ?? [];
  if (ofWindow.length > 0) {
    return ofWindow.slice(0, SHOWN_MAX).map(({ key, ops_per_sec: rate }) => ({
      key,
      accesses: `${rate} per second`,
    }));
  }
  return (session?.keys ?? []).slice(0, SHOWN_MAX).map(({ key, access_count: count }) => ({
    key,
    accesses: `${count} in the session`,
  }));
}

function lastHour({ events }: EventsDocument, createdMs: number): HistoryEvent[] {
  return events.filter(({ time_ms: ms }) => ms >= createdMs - HOUR_MS).slice(0, EVENTS_MAX);
}
