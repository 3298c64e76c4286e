import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A source file: its path from the root of the repository, and its text. */
export interface SourceFile {
  readonly file: string;
  readonly text: string;
}

/** One import of a file. */
export interface Import {
  readonly target: string;
  /** True when only types are taken, so that nothing is left of it when the code runs. */
  readonly isType: boolean;
}

const FOLDERS = ['packages', 'workers', 'scripts', 'bench'];

/** Every TypeScript source of the repository. */
export function readSources(root: string): SourceFile[] {
  return FOLDERS.filter((folder) => existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        (name) => `${folder}/${name}`,
      ),
    )
    .filter((file) => /\.tsx?$/.test(file))
    .sort()
    .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));
}

/** Every file of the repository by its path from the root; what is installed or built is left out. */
export function readPaths(root: string): string[] {
  return [...FOLDERS, 'configs']
    .filter((folder) => existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name))),
    )
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => !/(^|\/)(node_modules|build|dist)\//.test(file))
    .sort();
}

/** The READMEs of the root, of packages and of each package, and the reference for users. */
export function readReadmes(root: string): SourceFile[] {
  const folders = readdirSync(path.join(root, 'packages'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `packages/${name}/README.md`);
  const reference = readdirSync(path.join(root, 'configs/reference'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `configs/reference/${name}`);
  return ['README.md', 'packages/README.md', ...folders, ...reference]
    .filter((file) => existsSync(path.join(root, file)))
    .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));
}

/** Every document in Markdown of the repository. */
export function readDocuments(root: string): SourceFile[] {
  return ['README.md', 'CHANGELOG.md', ...readPaths(root).filter((file) => file.endsWith('.md'))]
    .filter((file) => existsSync(path.join(root, file)))
    .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));
}

/** Returns what a file imports or exports from elsewhere, read from the lines as Prettier leaves them. */
export function importsOf({ text }: SourceFile): Import[] {
  const statements = text.matchAll(
    /^(?:import|export)\b(?<rest>[^;'"]*?\bfrom\s+|\s+)'(?<target>[^']+)';/gm,
  );
  const dynamic = text.matchAll(/\b(?:import|require)\('(?<target>[^']+)'\)/g);
  return [
    ...[...statements].map(({ groups }) => ({
      target: groups!['target']!,
      isType: /^\s+type\b/.test(groups!['rest']!),
    })),
    ...[...dynamic].map(({ groups }) => ({ target: groups!['target']!, isType: false })),
  ];
}

/** The code without its comments; strings stay. */
export function withoutComments(text: string): string {
  const strings = String.raw`'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"`;
  const tokens = new RegExp(String.raw`(${strings})|\/\*[\s\S]*?\*\/|(?<![:\\])\/\/.*`, 'g');
  return text.replace(tokens, (_, string: string | undefined) => string ?? '');
}

/** Names of tests, and of what they share, which lies beside the code that it is for. */
const TEST_NAME = /\.test(-helper)?\.ts$/;

/** True for a test, or a part of tests. */
export function isTest(file: string): boolean {
  return TEST_NAME.test(file) || /^packages\/(e2e|differential|simulation)\//.test(file);
}
