/** Loads the tools of clusters, which a server does without. */

type Tool = (args: readonly string[], print: (line: string) => void) => Promise<void>;

export async function loadRebalance(): Promise<Tool> {
  const { rebalance } = await import('./rebalance/rebalance.ts');
  return rebalance;
}

export async function loadClusterBundle(): Promise<Tool> {
  const { bundle } = await import('./tools/bundle.ts');
  return bundle;
}
