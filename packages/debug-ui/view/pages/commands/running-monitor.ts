/** The monitor of the page while it runs: polled for its lines, and ended with the page. */

import { useEffect, useMemo } from 'preact/hooks';
import type { Monitor, MonitorEnd } from '../../../model/api.ts';
import { MonitorTail, type MonitorTailContent } from '../../../model/monitor/monitor-tail.ts';
import { isMissing, post } from '../../browser.ts';
import { type Polled, Source, useSource } from '../../source.ts';

export const MONITOR_PATH = '/debug/api/monitor';

const PERIOD_MS = 1_000;

interface RunningMonitor {
  readonly reading: Polled<MonitorTailContent>;
  readonly stop: () => Promise<void>;
}

/** Polls a started monitor, and stops it when the page is hidden or left. */
export function useMonitor(started: Monitor): RunningMonitor {
  const { id } = started;
  const [tail, source] = useMemo(() => {
    const made = new MonitorTail(started, (after) => linesAfter(id, after));
    return [made, new Source<MonitorTailContent>(() => made.next())] as const;
  }, [id]);
  const stop = async (by: MonitorEnd): Promise<void> => {
    if (!tail.isRunning) return;
    // A monitor that has ended already ends once.
    await post(`${MONITOR_PATH}/stop`, { id, by }, true).catch(() => undefined);
    await source.again();
  };
  useEffect(() => {
    const hidden = (): void => {
      if (document.hidden) void stop('page-hidden');
    };
    const left = (): void => void stop('page-closed');
    document.addEventListener('visibilitychange', hidden);
    window.addEventListener('pagehide', left);
    return () => {
      document.removeEventListener('visibilitychange', hidden);
      window.removeEventListener('pagehide', left);
      left();
    };
  }, [id]);
  const reading = useSource(source, tail.isRunning ? PERIOD_MS : 0);
  return { reading, stop: () => stop('stopped') };
}

async function linesAfter(id: string, after: number): Promise<Monitor | null> {
  try {
    return await post<Monitor>(`${MONITOR_PATH}/lines`, { id, after });
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
