/** Clients that are shown what others send (MONITOR). */

import { type Bytes, fromLatin1, globMatches, isResourceError } from '#base';
import type { Arguments, ClientPort, CommandEntry, MonitorFilter, MonitorsPort } from '#commands';
import type { Client, WatchedCall } from '#router';
import type { FanOut } from './fan-out.ts';

const REDACTED = '(redacted)';

interface Monitor {
  readonly filter: MonitorFilter;
  /** Unix milliseconds; Infinity without a time limit. */
  readonly untilMs: number;
  linesLeft: number;
  /** Commands that passed the filter, shown or not. */
  passed: number;
}

/** A command as monitors are shown it. */
interface Shown {
  readonly client: Client;
  readonly entry: CommandEntry;
  /** Given where a script of the client calls the command. */
  readonly call: WatchedCall | undefined;
  /** Without secrets; one character per byte. */
  readonly words: readonly string[];
}

export class Monitors implements MonitorsPort {
  readonly #fanOut: FanOut;
  readonly #nowMs: () => number;
  /** Called when the first comes or the last goes. */
  readonly #changed: () => void;
  readonly #monitors = new Map<Client, Monitor>();

  constructor(fanOut: FanOut, nowMs: () => number, changed: () => void) {
    this.#fanOut = fanOut;
    this.#nowMs = nowMs;
    this.#changed = changed;
  }

  get isOn(): boolean {
    return this.#monitors.size > 0;
  }

  start(port: ClientPort, filter: MonitorFilter): void {
    const client = port as Client;
    client.ownRoles.isMonitor = true;
    this.#monitors.set(client, {
      filter,
      untilMs: filter.forMs === 0 ? Infinity : this.#nowMs() + filter.forMs,
      linesLeft: filter.lines === 0 ? Infinity : filter.lines,
      passed: 0,
    });
    this.#changed();
  }

  forget(client: Client): void {
    if (!this.#monitors.delete(client)) return;
    client.ownRoles.isMonitor = false;
    this.#changed();
  }

  /** Ends those whose time is over. */
  endTurn(): void {
    const nowMs = this.#nowMs();
    for (const [client, { untilMs }] of this.#monitors) if (untilMs <= nowMs) this.forget(client);
  }

  /** A command has been sent on, or a script of the client calls it. */
  routed(client: Client, entry: CommandEntry, args: Arguments, call?: WatchedCall): void {
    // Commands that run scripts have the flag since Redis shows them by itself, ahead of what they call.
    if (entry.has('admin') || (entry.has('skip_monitor') && entry.script === undefined)) return;
    this.endTurn();
    try {
      this.#show({ client, entry, call, words: wordsOf(entry, args) });
    } catch (error) {
      if (!isResourceError(error)) throw error;
      // A line longer than any text cannot be shown, and lines must not be omitted.
      for (const target of [...this.#monitors.keys()]) target.socket.destroy();
    }
  }

  #show(shown: Shown): void {
    let isEncoded = false;
    for (const [target, monitor] of this.#monitors) {
      if (!isWanted(shown, monitor)) continue;
      if (!isEncoded) {
        isEncoded = true;
        const line = fromLatin1(lineOf(shown, this.#nowMs()));
        this.#fanOut.begin((writer) => {
          writer.raw(line);
        });
      }
      this.#fanOut.sendTo(target);
      monitor.linesLeft -= 1;
      if (monitor.linesLeft === 0) this.forget(target);
    }
  }
}

function wordsOf(entry: CommandEntry, args: Arguments): readonly string[] {
  const words: string[] = [];
  for (let index = 0; index < args.count; index += 1) words.push(args.latin1(index));
  for (const index of entry.secretsOf(args)) words[index] = REDACTED;
  return words;
}

function isWanted({ client, entry, words }: Shown, monitor: Monitor): boolean {
  const { patterns, commands, users, ids, sample } = monitor.filter;
  if (ids.length > 0 && !ids.includes(client.id)) return false;
  if (users.length > 0 && !users.includes(client.session.user)) return false;
  if (commands.length > 0 && !namesOf(entry).some((name) => commands.includes(name))) return false;
  if (patterns.length > 0 && !fitsAny(words, patterns)) return false;
  monitor.passed += 1;
  return sample <= 1 || monitor.passed % sample === 1;
}

function namesOf({ lowerName, container }: CommandEntry): readonly string[] {
  return container === undefined ? [lowerName] : [lowerName, container.lowerName];
}

function fitsAny(words: readonly string[], patterns: readonly Bytes[]): boolean {
  return words.slice(1).some((word) => {
    const bytes = fromLatin1(word);
    return patterns.some((pattern) => globMatches(pattern, bytes));
  });
}

/** Stands for the address of what a script calls, as in Redis. */
const SCRIPT = 'lua';

function lineOf({ client, call, words }: Shown, nowMs: number): string {
  const us = Math.floor(nowMs * 1_000);
  const seconds = Math.floor(us / 1_000_000);
  const rest = String(us % 1_000_000).padStart(6, '0');
  const from = call === undefined ? addressOf(client) : SCRIPT;
  const database = call?.database ?? client.session.database;
  return `+${seconds}.${rest} [${database} ${from}] ${words.map(quoted).join(' ')}\r\n`;
}

function addressOf({ socket }: Client): string {
  const { isUnix, remoteAddress } = socket;
  return isUnix ? `unix:${remoteAddress.replace(/:0$/, '')}` : remoteAddress;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\x07': '\\a',
  '\b': '\\b',
};

/** A word in quotes, with everything but printable ASCII escaped, as Redis does it. */
function quoted(word: string): string {
  const escaped = word.replaceAll(
    /[^ !#-[\]-~]/g,
    (char) => ESCAPES[char] ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return `"${escaped}"`;
}
