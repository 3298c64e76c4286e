/** Clients that are shown what others send (MONITOR). */

import { type Bytes, fromLatin1, globMatches, globMatchesAt, isResourceError } from '#base';
import type { Arguments, ClientPort, CommandEntry, MonitorFilter, MonitorsPort } from '#commands';
import type { Client } from '#router';
import type { FanOut } from './fan-out.ts';
import {
  addressOf,
  databaseOf,
  isMonitored,
  type MonitoredCommand,
  namesOf,
  REDACTED,
} from './monitors/monitored-command.ts';

const REDACTED_BYTES = fromLatin1(REDACTED);

interface Monitor {
  readonly filter: MonitorFilter;
  /** Unix milliseconds; Infinity without a time limit. */
  readonly untilMs: number;
  linesLeft: number;
  /** Commands that passed the filter, shown or not. */
  passed: number;
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

  /** Shows a command that has been sent on, or that a script of the client calls. */
  routed(command: MonitoredCommand): void {
    if (!isMonitored(command.entry)) return;
    this.endTurn();
    try {
      this.#show(command);
    } catch (error) {
      if (!isResourceError(error)) throw error;
      // A line longer than any text cannot be shown, and lines must not be omitted.
      for (const target of [...this.#monitors.keys()]) target.socket.destroy();
    }
  }

  /** The line is made for the first monitor that wants it: a command that none wants costs no copy. */
  #show(command: MonitoredCommand): void {
    let isEncoded = false;
    for (const [target, monitor] of this.#monitors) {
      if (!isWanted(command, monitor)) continue;
      if (!isEncoded) {
        isEncoded = true;
        const line = fromLatin1(lineOf(command, this.#nowMs()));
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

/** Returns the words of a command without secrets, one character per byte. */
function wordsOf(entry: CommandEntry, args: Arguments): readonly string[] {
  const words: string[] = [];
  for (let index = 0; index < args.count; index += 1) words.push(args.latin1(index));
  for (const index of entry.secretsOf(args)) words[index] = REDACTED;
  return words;
}

function isWanted({ client, entry, args }: MonitoredCommand, monitor: Monitor): boolean {
  const { patterns, commands, users, ids, sample } = monitor.filter;
  if (ids.length > 0 && !ids.includes(client.id)) return false;
  if (users.length > 0 && !users.includes(client.session.user)) return false;
  if (commands.length > 0 && !namesOf(entry).some((name) => commands.includes(name))) return false;
  if (patterns.length > 0 && !fitsAny(entry, args, patterns)) return false;
  monitor.passed += 1;
  return sample <= 1 || monitor.passed % sample === 1;
}

/** True when a pattern fits an argument as it is shown. */
function fitsAny(entry: CommandEntry, args: Arguments, patterns: readonly Bytes[]): boolean {
  const secrets = entry.secretsOf(args);
  for (let index = 1; index < args.count; index += 1) {
    const isSecret = secrets.includes(index);
    const fits = patterns.some((pattern) =>
      isSecret
        ? globMatches(pattern, REDACTED_BYTES)
        : globMatchesAt(pattern, args.source, args.at(index), args.length(index)),
    );
    if (fits) return true;
  }
  return false;
}

/** Stands for the address of what a script calls, as in Redis. */
const SCRIPT = 'lua';

function lineOf(command: MonitoredCommand, nowMs: number): string {
  const { client, entry, args, origin } = command;
  const us = Math.floor(nowMs * 1_000);
  const seconds = Math.floor(us / 1_000_000);
  const rest = String(us % 1_000_000).padStart(6, '0');
  const from = typeof origin === 'object' ? SCRIPT : addressOf(client);
  const words = wordsOf(entry, args).map(quoted).join(' ');
  return `+${seconds}.${rest} [${databaseOf(command)} ${from}] ${words}\r\n`;
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
