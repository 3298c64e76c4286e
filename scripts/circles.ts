/** Circles of imports: files that cannot be understood one after the other. */
import path from 'node:path';
import { importsOf, type SourceFile } from './source-files.ts';

/** Targets of a file's relative imports, as paths from the root. */
function neighbours(source: SourceFile): string[] {
  return importsOf(source)
    .filter(({ target }) => target.startsWith('.'))
    .map(({ target }) => path.posix.join(path.posix.dirname(source.file), target));
}

/** Groups of files that reach each other by imports, types included: Tarjan's strongly connected components. */
export function circlesOf(files: readonly SourceFile[]): string[][] {
  const edges = new Map(files.map((source) => [source.file, neighbours(source)]));
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): void => {
    order.set(file, order.size);
    low.set(file, order.get(file)!);
    stack.push(file);
    for (const next of edges.get(file) ?? []) {
      if (!edges.has(next)) continue;
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) low.set(file, Math.min(low.get(file)!, low.get(next)!));
    }
    if (low.get(file) !== order.get(file)) return;
    const circle = stack.splice(stack.indexOf(file));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const file of edges.keys()) if (!order.has(file)) visit(file);
  return circles;
}
