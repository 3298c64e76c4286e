/** Runs the subcommands that are tools; each is loaded when it is asked for, since no server needs it. */

import type { ToolName } from '#config';
import { loadClusterBundle, loadRebalance } from '#cluster';

type Print = (text: string) => void;

/** Runs a tool with its arguments; returns the exit code. */
type Tool = (args: readonly string[], print: Print) => Promise<number>;

const TOOLS: Readonly<Record<ToolName, () => Promise<Tool>>> = {
  doctor: async () => (await import('./doctor/doctor.ts')).doctor,
  top: async () => (await import('./top/top.ts')).top,
  runbook: async () => (await import('./runbook/runbook.ts')).runbook,
  bench: async () => (await import('#load')).bench,
  'bundle inspect': async () => (await import('./bundle/inspect.ts')).inspectBundle,
  completion: async () => (await import('./shell/completion.ts')).completion,
  man: async () => (await import('./shell/man-page.ts')).man,
  'cluster rebalance': async () => succeeding(await loadRebalance()),
  'cluster bundle': async () => succeeding(await loadClusterBundle()),
};

/** Runs a subcommand; returns the exit code, and rejects with what went wrong. */
export async function runTool(
  name: ToolName,
  args: readonly string[],
  print: Print,
): Promise<number> {
  const tool = await TOOLS[name]();
  return tool(args, print);
}

function succeeding(run: (args: readonly string[], print: Print) => Promise<void>): Tool {
  return async (args, print) => {
    await run(args, print);
    return 0;
  };
}
