/**
 * uPlot as its package has it built, to be put into a page. The build replaces this module by one that has the texts in it
 * (`configs/tools/vite-server.config.js`), so the published program needs no further file.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Script and style of uPlot. */
interface PlotLibrary {
  readonly script: string;
  readonly style: string;
}

/** Reads them from the installed package. */
export function plotLibrary(): PlotLibrary {
  const { resolve } = createRequire(import.meta.url);
  return {
    script: readFileSync(resolve('uplot/dist/uPlot.iife.min.js'), 'utf8'),
    style: readFileSync(resolve('uplot/dist/uPlot.min.css'), 'utf8'),
  };
}
