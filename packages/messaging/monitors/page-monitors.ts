/** The monitors of the debug pages. While none runs, a command costs nothing for them. */

import type { MonitorDocument, MonitorEnd, MonitorOptions } from '#api-types';
import type { Logger } from '#base';
import { commandTable } from '#commands';
import type { MonitorStart, MonitorStartAnswer } from '#http';
import { isMonitored, type MonitoredCommand } from './monitored-command.ts';
import { PageMonitor } from './page-monitor.ts';

/** Each costs a look at every command. */
const MONITORS_MAX = 4;
/** Number of a line that no line is above. */
const NO_LINES = Infinity;

interface PageMonitorsOptions {
  /** Returns Unix milliseconds. */
  readonly nowMs: () => number;
  readonly log: Pick<Logger, 'info'>;
  /** Called when one starts or ends. */
  readonly changed: () => void;
}

interface KnownMonitor {
  readonly monitor: PageMonitor;
  /** Address of the browser or program that started it. */
  readonly addr: string;
}

export class PageMonitors {
  readonly #options: PageMonitorsOptions;
  #running: readonly PageMonitor[] = [];
  /** Running ones, and ended ones whose last lines a page may still ask for. */
  readonly #known = new Map<string, KnownMonitor>();

  constructor(options: PageMonitorsOptions) {
    this.#options = options;
  }

  get isOn(): boolean {
    return this.#running.length > 0;
  }

  /** True when one selects calls of scripts. */
  get hasCalls(): boolean {
    return this.#running.some((monitor) => monitor.hasCalls);
  }

  start({ id, addr, options }: MonitorStart): MonitorStartAnswer {
    const { nowMs, log, changed } = this.#options;
    this.tick();
    const unknown = options.filter.commands.find((name) => commandTable.byName(name) === undefined);
    if (unknown !== undefined) return { problem: `no such command: ${unknown}`, document: null };
    if (this.#running.length >= MONITORS_MAX) {
      return { problem: `${MONITORS_MAX} monitors are running already`, document: null };
    }
    const monitor = new PageMonitor(id, options, nowMs());
    this.#known.set(id, { monitor, addr });
    this.#running = [...this.#running, monitor];
    log.info('monitor-started', 'Monitor started over HTTP', {
      addr,
      filter: textOf(options),
      lines_per_sec: options.lines_per_sec,
    });
    changed();
    return { problem: '', document: monitor.document(0) };
  }

  /** Returns the lines after a number, and renews the monitor; null for one that does not exist. */
  lines({ id, after }: { readonly id: string; readonly after: number }): MonitorDocument | null {
    this.tick();
    const known = this.#known.get(id);
    if (known === undefined) return null;
    known.monitor.renew(this.#options.nowMs());
    return known.monitor.document(after);
  }

  /** Ends a monitor; null for one that does not exist. */
  stop({ id, by }: { readonly id: string; readonly by: MonitorEnd }): MonitorDocument | null {
    this.tick();
    const known = this.#known.get(id);
    if (known === undefined) return null;
    if (known.monitor.isRunning) this.#end(known, by);
    return known.monitor.document(NO_LINES);
  }

  /** Shows running monitors a command. */
  routed(command: MonitoredCommand): void {
    if (!isMonitored(command.entry)) return;
    const nowMs = this.#options.nowMs();
    this.#tickAt(nowMs);
    for (const monitor of this.#running) monitor.see(command, nowMs);
  }

  /** Ends monitors whose time is over, and discards those that ended a while ago. */
  tick(): void {
    if (this.#known.size > 0) this.#tickAt(this.#options.nowMs());
  }

  #tickAt(nowMs: number): void {
    for (const known of this.#known.values()) {
      const { monitor } = known;
      const expiry = monitor.isRunning ? monitor.expiry(nowMs) : undefined;
      if (expiry !== undefined) this.#end(known, expiry);
      else if (monitor.isForgettable(nowMs)) this.#known.delete(monitor.id);
    }
  }

  #end({ monitor, addr }: KnownMonitor, by: MonitorEnd): void {
    const { nowMs, log, changed } = this.#options;
    monitor.end(by, nowMs());
    this.#running = this.#running.filter((each) => each !== monitor);
    const { seen, matched, last, left_out, start_time_ms, end_time_ms } =
      monitor.document(NO_LINES);
    log.info('monitor-ended', 'Monitor ended', {
      addr,
      by,
      ms: Math.round(end_time_ms - start_time_ms),
      seen,
      matched,
      lines: last,
      left_out,
    });
    changed();
  }
}

/** Filter in one text for the log; empty where it selects all commands. */
function textOf({ filter }: MonitorOptions): string {
  return Object.entries(filter)
    .filter(([, value]) => value !== null && String(value) !== '')
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ');
}
