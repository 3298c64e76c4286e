/**
 * Folders are layers: inside a package they import each other in one direction. A folder is the directory of a file, so a
 * package's own directory counts beside those below it; imports of types count, and tests do not.
 */
import path from 'node:path';
import { circlesIn, neighbours } from './circles.ts';
import { isTest, type SourceFile } from './source-files.ts';

/** Numbers of folders in circles, and of pairs of folders that import each other, by package. */
type Exemptions = Readonly<Record<string, readonly [folders: number, pairs: number]>>;

/** Circles from before this rule. They may only shrink: a number that is too high is a fault as well. */
const exemptions: Exemptions = {
  acl: [3, 2],
  base: [2, 1],
  cluster: [3, 2],
  config: [4, 3],
  'debug-ui': [17, 2],
  http: [7, 3],
  link: [4, 3],
  lua: [4, 4],
  net: [5, 3],
  persistence: [4, 3],
  replication: [3, 2],
  telemetry: [4, 3],
  testkit: [3, 2],
};

/** Circles of a package's folders. */
interface PackageCircles {
  readonly circles: readonly (readonly string[])[];
  readonly pairs: readonly (readonly [string, string])[];
}

/** Returns the faults of packages whose circles of folders are not as many as are exempt, and which folders these are. */
export function folderFaults(
  files: readonly SourceFile[],
  exempt: Exemptions = exemptions,
): string[] {
  const found = folderCircles(files);
  const names = new Set([...found.keys(), ...Object.keys(exempt)]);
  return [...names].sort().flatMap((name) => {
    const { circles, pairs } = found.get(name) ?? { circles: [], pairs: [] };
    const [folderCount, pairCount] = exempt[name] ?? [0, 0];
    const count = circles.flat().length;
    if (count === folderCount && pairs.length === pairCount) return [];
    return [
      `packages/${name}: ${count} folders in circles and ${pairs.length} pairs that import each other, but [${folderCount}, ${pairCount}] are exempt in folders.ts`,
      ...circles.map((circle) => `packages/${name}: circle of ${circle.join(', ')}`),
      ...pairs.map((pair) => `packages/${name}: ${pair.join(' and ')} import each other`),
    ];
  });
}

/** Returns the circles of folders by package; a package without any has no entry. */
export function folderCircles(files: readonly SourceFile[]): ReadonlyMap<string, PackageCircles> {
  const graphs = new Map<string, Map<string, Set<string>>>();
  for (const source of files) {
    const [top, name] = source.file.split('/');
    if (top !== 'packages' || name === undefined || isTest(source.file)) continue;
    const graph = graphs.get(name) ?? new Map<string, Set<string>>();
    graphs.set(name, graph);
    const folder = path.posix.dirname(source.file);
    const targets = graph.get(folder) ?? new Set();
    graph.set(folder, targets);
    for (const target of neighbours(source)) targets.add(path.posix.dirname(target));
  }
  const found = new Map<string, PackageCircles>();
  for (const [name, graph] of graphs) {
    const circles = circlesIn(graph);
    if (circles.length > 0) found.set(name, { circles, pairs: mutualPairs(graph) });
  }
  return found;
}

function mutualPairs(graph: ReadonlyMap<string, ReadonlySet<string>>): [string, string][] {
  return [...graph].flatMap(([folder, targets]) =>
    [...targets]
      .filter((other) => folder < other && graph.get(other)?.has(folder) === true)
      .sort()
      .map((other): [string, string] => [folder, other]),
  );
}
