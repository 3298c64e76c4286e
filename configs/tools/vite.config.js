/** How the debug pages are built: files of their own, nothing in the page's text, so that the strictest policy holds. */
import { fileURLToPath } from 'node:url';

const folder = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export default {
  root: folder('packages/debug-ui'),
  base: '/debug/',
  logLevel: 'warn',
  // The cache of development mode belongs among what is built.
  cacheDir: folder('dist/.vite'),
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // `npx vite -c configs/tools/vite.config.js` shows the sources, with the data of a server on its usual port.
  server: { proxy: { '^/(debug/api|debug/log|status)': 'http://127.0.0.1:9090' } },
  build: {
    outDir: folder('dist/debug-ui'),
    emptyOutDir: true,
    target: 'es2022',
    // An image inside a style sheet would be refused by `default-src 'self'`.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What a page of its own has of style is less than a request of its own.
    cssCodeSplit: false,
    reportCompressedSize: false,
  },
};
