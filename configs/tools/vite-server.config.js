/**
 * Puts the compiled server into a few files: Node takes about half a millisecond for each module that a thread loads,
 * and has 400 of them to load in each of five threads.
 *
 * What is put together lies as deep in dist as what it is made of, so that paths beside a module hold in both; the
 * server runs from either.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** What every command runs through has a file for each package, so that a profile says where it was. */
const hot = [
  'acl',
  'store',
  'commands',
  'link',
  'shard',
  'router',
  'net',
  'resp',
  'stats',
  'persistence',
  'tier',
];

/** Control messages take a package of others, which the ops thread begins without. */
const CONTROL = '/dist/packages/link/messages/control.js';

/** Positions in the sources, for `node --enable-source-maps`: the compiler's maps are gone on with. */
const compilersMaps = {
  name: 'compilers-maps',
  load(file) {
    if (!file.startsWith(folder('dist/'))) return undefined;
    const read = (name) => readFileSync(name, 'utf8');
    return { code: read(file), map: JSON.parse(read(`${file}.map`)) };
  },
};

export default {
  root: folder('dist'),
  logLevel: 'warn',
  publicDir: false,
  plugins: [compilersMaps],
  ssr: {
    // Others' packages too: the one that packs bundles alone has modules for 0.2 s. Not those that find files of their own.
    noExternal: true,
    external: ['piscina', 'msgpackr', 'koffi', 'etcd3'],
    // The files that Node itself loads: what `require` expects is not what is in those that `module` names.
    resolve: { mainFields: ['main'] },
  },
  build: {
    ssr: true,
    outDir: folder('dist/bundle/server'),
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    sourcemap: true,
    rolldownOptions: {
      input: {
        main: folder('dist/packages/server/main.js'),
        shard: folder('dist/workers/shard.js'),
        front: folder('dist/workers/front.js'),
        ops: folder('dist/workers/ops.js'),
        disk: folder('dist/workers/disk.js'),
        tier: folder('dist/workers/tier.js'),
        'tasks/bundle': folder('dist/workers/tasks/bundle.js'),
        'tasks/redistribute': folder('dist/workers/tasks/redistribute.js'),
        'tasks/split-snapshot': folder('dist/workers/tasks/split-snapshot.js'),
        'tasks/latency-test': folder('dist/workers/tasks/latency-test.js'),
      },
      // A package's index would load all of it, of which a thread that begins needs little.
      treeshake: { moduleSideEffects: (file) => !file.startsWith(folder('dist/packages/')) },
      // Constants stay constants, which V8 builds into what it compiles.
      output: {
        chunkFileNames: 'lib-[name].js',
        entryFileNames: '[name].js',
        topLevelVar: false,
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'control', test: (file) => file.endsWith(CONTROL), priority: 1 },
            // Names of counters, which the pages are made of.
            { name: 'stats', test: '/dist/packages/quantities/' },
            ...hot.map((name) => ({ name, test: `/dist/packages/${name}/` })),
          ],
        },
      },
    },
  },
};
