/**
 * Exports that no other file imports: each is an unused interface, and hides that its name could be changed or deleted.
 */
import path from 'node:path';
import { withoutComments, type SourceFile } from './source-files.ts';

const DECLARED =
  /^export (?:async )?(?:abstract )?(?:const|let|function\*?|class|interface|type) (\w+)/gm;
const LISTED = /^(import|export)\s+(?:type\s+)?\{([^}]*)\}(?:\s+from\s+'([^']+)')?;/gm;
const NAMESPACE = /^import (?:type )?\* as (\w+) from '([^']+)';/gm;
/** `(await import('x')).Name` and `import('x').Name`; its names are those behind the dot. */
const MEMBER = /\bimport\(\s*'([^']+)'\s*\)\)?\s*\.(\w+)/g;
/** `const { Name } = await import('x')`. */
const TAKEN = /\{([^{}]*)\}\s*=\s*await import\(\s*'([^']+)'\s*\)/g;
/** `import('x').then(({ Name }) => ...`. */
const LATER = /\bimport\(\s*'([^']+)'\s*\)\s*\.then\(\s*(?:async\s*)?\(\{([^{}]*)\}/g;

/** Exports that are reached in another way, as `file name`, and how. */
type ReachedOtherwise = Readonly<Record<string, string>>;

const reachedOtherwise: ReachedOtherwise = {
  'workers/tasks/bundle.ts packBundle': 'Main names it to its pool of threads.',
  'workers/tasks/split-snapshot.ts splitSnapshot': 'Main names it to its pool of threads.',
  'workers/tasks/latency-test.ts runLatencyTest': 'Main names it to its pool of threads.',
  'workers/tasks/name-positions.ts namePositions': 'Main names it to its pool of threads.',
  'packages/server/load-program.ts loadProgram': 'The entries that the build writes call it.',
  'packages/server/load-program.ts compileProgram': 'A test of the bundle calls it.',
  'packages/server/load-program.ts setV8Flags': 'A test of the bundle calls it.',
};

/** Returns what is exported in vain, one line each, and what is said to be reached otherwise and is not there. */
export function exportFaults(
  files: readonly SourceFile[],
  otherwise: ReachedOtherwise = reachedOtherwise,
): string[] {
  const unused = unusedExports(files);
  const known = new Set(unused);
  const isHere = (name: string): boolean =>
    files.some(({ file }) => file === name.slice(0, name.indexOf(' ')));
  return [
    ...unused
      .filter((name) => otherwise[name] === undefined)
      .map((name) => `${name.replace(' ', ': exports ')}, which no other file imports`),
    ...Object.keys(otherwise)
      .filter((name) => isHere(name) && !known.has(name))
      .map((name) => `${name.replace(' ', ': exports ')} no more, or to a file that imports it`),
  ];
}

/** Exports that no other file imports, as `file name`; those of an index are for other packages. */
function unusedExports(files: readonly SourceFile[]): string[] {
  const codes = files.map(({ file, text }) => ({ file, code: withoutComments(text) }));
  const all = codes.map(({ code }) => code).join('\n');
  const used = new Set(codes.flatMap(({ file, code }) => importedNames(file, code, all)));
  return codes
    .flatMap(({ file, code }) => exportedNames(code).map((name) => `${file} ${name}`))
    .filter((name) => !used.has(name));
}

/** Names that a file takes from others, as `file name`. */
function importedNames(file: string, code: string, all: string): string[] {
  const taken = (target: string, names: readonly string[]): string[] =>
    names.map((name) => `${resolve(file, target)} ${name}`);
  return [
    ...[...code.matchAll(LISTED)].flatMap(([, , list = '', target]) =>
      target === undefined ? [] : taken(target, namesIn(list, 0)),
    ),
    ...[...code.matchAll(NAMESPACE)].flatMap(([, space = '', target = '']) =>
      target.startsWith('.') ? taken(target, membersOf(space, all)) : [],
    ),
    ...[...code.matchAll(MEMBER)].flatMap(([, target = '', name = '']) => taken(target, [name])),
    ...[...code.matchAll(TAKEN)].flatMap(([, list = '', target = '']) =>
      taken(target, namesIn(list.replaceAll(':', ' as '), 0)),
    ),
    ...[...code.matchAll(LATER)].flatMap(([, target = '', list = '']) =>
      taken(target, namesIn(list.replaceAll(':', ' as '), 0)),
    ),
  ];
}

function exportedNames(code: string): string[] {
  return [
    ...[...code.matchAll(DECLARED)].map(([, name = '']) => name),
    ...[...code.matchAll(LISTED)].flatMap(([, word, list = '']) =>
      word === 'export' ? namesIn(list, 1) : [],
    ),
  ];
}

/** Members that any file takes of a namespace: it may have been handed on. */
function membersOf(space: string, all: string): string[] {
  return [...all.matchAll(new RegExp(`\\b${space}\\.(\\w+)`, 'g'))].map(([, name = '']) => name);
}

/** The file that is meant, or the target itself, of which no file is known. */
function resolve(file: string, target: string): string {
  if (target === '#workers') return 'workers/urls.ts';
  if (target.startsWith('#')) return `packages/${target.slice(1)}/index.ts`;
  return target.startsWith('.') ? path.posix.join(path.posix.dirname(file), target) : target;
}

/** Names of a list between braces: as they are there (0), or as they are here (1). */
function namesIn(list: string, end: 0 | 1): string[] {
  return list
    .split(',')
    .map((name) =>
      name
        .trim()
        .replace(/^type\s+/, '')
        .split(/\s+as\s+/),
    )
    .map((parts) => (end === 0 ? parts[0]! : parts.at(-1)!))
    .filter((name) => name !== '');
}
