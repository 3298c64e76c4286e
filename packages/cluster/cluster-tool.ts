/** `svc-server cluster`: tools that do something with a cluster as a whole. */

import { bundle, bundleHelp } from './tools/bundle.ts';
import { rebalance, rebalanceHelp } from './rebalance/rebalance.ts';

type Print = (line: string) => void;

interface Tool {
  readonly help: string;
  run(args: readonly string[], print: Print): Promise<void>;
}

const TOOLS = new Map<string, Tool>([
  ['rebalance', { help: rebalanceHelp, run: rebalance }],
  ['bundle', { help: bundleHelp, run: bundle }],
]);

/** Runs the command line after `cluster`. */
export async function clusterTool(args: readonly string[], print: Print): Promise<void> {
  const [command = 'help', ...rest] = args;
  if (command === 'help' || command === '--help') {
    print([...TOOLS.values()].map(({ help }) => help).join('\n'));
    return;
  }
  const tool = TOOLS.get(command);
  if (tool === undefined) {
    const names = [...TOOLS.keys()].map((name) => `cluster ${name}`).join(' and ');
    throw new Error(`unknown command cluster ${command}; known: ${names}`);
  }
  if (rest.includes('--help')) print(tool.help);
  else await tool.run(rest, print);
}
