/** Switching a server's diagnostics on and off, to see what they cost. */

import type { ChildServer } from '#testkit';

/** `all`: bands, histograms, a slowlog of every command, and hot keys of one command in a hundred. */
export const OVERHEAD_MODES = ['off', 'hot keys', 'all'] as const;
export type OverheadMode = (typeof OVERHEAD_MODES)[number];

export async function switchDiagnostics(server: ChildServer, mode: OverheadMode): Promise<void> {
  const client = await server.client();
  const isAll = mode === 'all';
  const settings = {
    'latency-tracking': isAll ? 'yes' : 'no',
    'latency-bands-enabled': isAll ? 'yes' : 'no',
    'slowlog-log-slower-than': isAll ? '0' : '-1',
  };
  for (const [name, value] of Object.entries(settings)) {
    // A version that lacks one of them measures the others.
    await client.reply('CONFIG', 'SET', name, value);
  }
  await client.reply('HOTKEYS', 'STOP');
  if (mode !== 'off') await client.call('HOTKEYS', 'START', 'SAMPLE', '100');
  await client.end();
}
