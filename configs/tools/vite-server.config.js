/**
 * Puts the compiled server into a file for each thread, which V8's code cache can be made of.
 *
 * What is put together lies as deep in dist as what it is made of, so that paths beside a module hold in both; the
 * server runs from either.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Positions in the sources, for `node --enable-source-maps`: the compiler's maps are continued. */
const compilersMaps = {
  name: 'compilers-maps',
  load(file) {
    if (!file.startsWith(folder('dist/'))) return undefined;
    const read = (name) => readFileSync(name, 'utf8');
    return { code: read(file).replace(/^#!.*/, ''), map: JSON.parse(read(`${file}.map`)) };
  },
};

/** uPlot as text in the module that otherwise reads it from its package: the page of a load needs no other file. */
const plotLibrary = {
  name: 'plot-library',
  load(file) {
    if (file !== folder('dist/packages/load/report/plot-library.js')) return undefined;
    const text = (name) =>
      JSON.stringify(readFileSync(folder(`node_modules/uplot/dist/${name}`), 'utf8'));
    return `export function plotLibrary() {
      return { script: ${text('uPlot.iife.min.js')}, style: ${text('uPlot.min.css')} };
    }`;
  },
};

/** Escapes characters beyond ASCII: V8 keeps the rest in one byte a character, and Node need not decode it. */
const asciiOnly = {
  name: 'ascii-only',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      chunk.code = chunk.code.replace(
        /[^\0-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
    }
  },
};

/** Options for Vite: the entries by the names of their files, which lie in dist, and the prefix of what several load. */
export function serverBuild(entries, chunkPrefix) {
  return {
    configFile: false,
    root: folder('dist'),
    logLevel: 'warn',
    publicDir: false,
    plugins: [plotLibrary, compilersMaps, asciiOnly],
    // Its native decoder of strings costs a search for the library at every start, and control messages are short.
    define: { 'process.env.MSGPACKR_NATIVE_ACCELERATION_DISABLED': '"true"' },
    ssr: {
      // Others' packages too: the one that packs bundles alone has modules for 0.2 s. Not those that find files of their own.
      noExternal: true,
      external: ['piscina', 'koffi', 'msgpackr-extract'],
      // The files that Node itself loads: what `require` expects is not what is in those that `module` names.
      resolve: { mainFields: ['main'] },
    },
    build: {
      ssr: true,
      outDir: folder('dist/bundle/server'),
      emptyOutDir: false,
      target: 'node20',
      minify: false,
      sourcemap: true,
      rolldownOptions: {
        checks: { pluginTimings: false },
        input: Object.fromEntries(
          Object.entries(entries).map(([name, file]) => [name, folder(`dist/${file}`)]),
        ),
        // A package's index would load all of it, of which a thread that begins needs little.
        treeshake: { moduleSideEffects: (file) => !file.startsWith(folder('dist/packages/')) },
        output: {
          format: 'cjs',
          banner: "'use strict';",
          entryFileNames: '[name].js',
          chunkFileNames: `${chunkPrefix}-[name].js`,
          // Constants stay constants, which V8 builds into what it compiles.
          topLevelVar: false,
          comments: false,
          // A script that has a code cache cannot import.
          dynamicImportInCjs: false,
        },
      },
    },
  };
}
