/** Circles of imports: files that cannot be understood one after the other. */
import path from 'node:path';
import { importsOf, type SourceFile } from './source-files.ts';

/** Names, and which others each of them leads to. */
type Graph = ReadonlyMap<string, Iterable<string>>;

/** Targets of a file's relative imports, as paths from the root. */
export function neighbours(source: SourceFile): string[] {
  return importsOf(source)
    .filter(({ target }) => target.startsWith('.'))
    .map(({ target }) => path.posix.join(path.posix.dirname(source.file), target));
}

/** Groups of files that reach each other by imports, types included. */
export function circlesOf(files: readonly SourceFile[]): string[][] {
  return circlesIn(new Map(files.map((source) => [source.file, neighbours(source)])));
}

/** Groups of names that reach each other, each in order: Tarjan's strongly connected components. */
export function circlesIn(edges: Graph): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (name: string): void => {
    order.set(name, order.size);
    low.set(name, order.get(name)!);
    stack.push(name);
    for (const next of edges.get(name) ?? []) {
      if (!edges.has(next)) continue;
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) low.set(name, Math.min(low.get(name)!, low.get(next)!));
    }
    if (low.get(name) !== order.get(name)) return;
    const circle = stack.splice(stack.indexOf(name));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const name of edges.keys()) if (!order.has(name)) visit(name);
  return circles;
}
