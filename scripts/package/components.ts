/** Packages of others that an installed server consists of: those inside the bundle, and those that npm installs beside it. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Fields of an entry of the lock file. */
interface LockEntry {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Entries of the lock file by their folders, as `node_modules/a/node_modules/b`. */
type Lock = Readonly<Record<string, LockEntry>>;

export interface Component {
  readonly name: string;
  readonly version: string;
  /** Name of the licence as the package declares it. */
  readonly license: string;
  /** Hash of the archive in the registry, as `sha512-<base64>`. */
  readonly integrity: string | undefined;
  /** True if code of it is in the bundle or in the pages; otherwise npm installs it. */
  readonly isBundled: boolean;
  /** Texts of its licence files; none where the package has none, or is of another platform and is not installed here. */
  readonly texts: readonly string[];
}

/** Packages that a server requires at run time, as `dependencies` and `optionalDependencies` of a package.json. */
export interface Installed {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

interface Manifest extends Installed {
  readonly devDependencies: Readonly<Record<string, string>>;
}

const FOLDER = /^(?:.*\/)?(node_modules\/(?:@[^/]+\/)?[^/]+)\//;
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/** Returns the folders of packages whose code is in the bundle, from its source maps; nested ones by their own folders. */
function bundledFolders(bundle: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const name of readdirSync(bundle, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js.map')) continue;
    const { sources } = JSON.parse(readFileSync(path.join(bundle, name), 'utf8')) as {
      sources: readonly string[];
    };
    for (const source of sources) {
      const folder = FOLDER.exec(source)?.[1];
      if (folder !== undefined) found.add(source.slice(source.indexOf('node_modules/')));
    }
  }
  return new Set([...found].map((source) => FOLDER.exec(source)![0].slice(0, -1)));
}

/** Returns the packages that the sources of the pages import values of. */
function pageFolders(sources: string, manifest: Manifest): ReadonlySet<string> {
  const texts = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.test)\.tsx?$/.test(name))
    .map((name) => readFileSync(path.join(sources, name), 'utf8'));
  const imported = texts.flatMap((text) =>
    [...text.matchAll(/^(?:import|\} from) [^']*'((?:@[^/']+\/)?[^/'.#]+)/gm)].map(
      ([, name = '']) => name,
    ),
  );
  const known = imported.filter((name) => name in manifest.devDependencies && name !== 'uvu');
  return new Set(known.map((name) => `node_modules/${name}`));
}

/** Returns the folder in whose node_modules a package is; empty for the root. */
function parentOf(folder: string): string {
  return folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1));
}

/** Returns the folder of a dependency as Node finds it from the folder of another package. */
function resolved(lock: Lock, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = parentOf(folder)) {
    const candidate = `${folder}/node_modules/${name}`.replace(/^\//, '');
    if (candidate in lock) return candidate;
    if (!folder.includes('node_modules/')) return undefined;
  }
}

/** Returns the folders that npm makes for dependencies, with theirs, and of all platforms. */
function installedFolders(lock: Lock, names: readonly string[]): ReadonlySet<string> {
  const found = new Set(names.map((name) => `node_modules/${name}`));
  for (const folder of found) {
    const { dependencies, optionalDependencies } = lock[folder]!;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const next = resolved(lock, folder, name);
      if (next !== undefined) found.add(next);
    }
  }
  return found;
}

function licenceTexts(folder: string): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return []; // A package of another platform.
  }
  return names
    .filter((name) => LICENCE_FILE.test(name))
    .sort()
    .map((name) => readFileSync(path.join(folder, name), 'utf8').trim());
}

interface Composition extends Installed {
  readonly components: readonly Component[];
}

/** Returns what a server consists of that was built in a source tree with its dependencies installed. */
export function compositionOf(root: string): Composition {
  const read = (name: string): unknown => JSON.parse(readFileSync(path.join(root, name), 'utf8'));
  const manifest = read('package.json') as Manifest;
  const { packages: lock } = read('package-lock.json') as { packages: Lock };
  const bundled = new Set([
    ...bundledFolders(path.join(root, 'dist/bundle/server')),
    ...pageFolders(path.join(root, 'packages/debug-ui'), manifest),
  ]);
  const remaining = (dependencies: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(dependencies).filter(([name]) => !bundled.has(`node_modules/${name}`)),
    );
  const dependencies = remaining(manifest.dependencies);
  const optionalDependencies = remaining(manifest.optionalDependencies);
  const names = Object.keys({ ...dependencies, ...optionalDependencies });
  const folders = new Set([...bundled, ...installedFolders(lock, names)]);
  const components = [...folders].sort().map((folder) => {
    const { version, license = 'unknown', integrity } = lock[folder]!;
    return {
      name: folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      license,
      integrity,
      isBundled: bundled.has(folder),
      texts: licenceTexts(path.join(root, folder)),
    };
  });
  return { dependencies, optionalDependencies, components };
}
