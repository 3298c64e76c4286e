/**
 * Results of `bench` as one page that needs no other file. Texts of servers and of the command line are escaped, and only the
 * scripts that are written here may run: the page allows them by their digests.
 */

import { createHash } from 'node:crypto';
import type { BenchDocument } from './bench-document.ts';
import { PAGE_SCRIPT } from './page-script.ts';
import { plotLibrary } from './plot-library.ts';
import { textReport } from './text.ts';

const STYLE = `
:root { color-scheme: light; font: 15px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 76rem; padding: 0 1rem; background: #fff; color: #1f2937; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
pre { overflow-x: auto; background: #f3f4f6; padding: 1rem; border-radius: 6px; font-size: 13px; }
table { border-collapse: collapse; } td, th { padding: .15rem .8rem .15rem 0; text-align: left; vertical-align: top; }
.warning { border-left: 4px solid #d97706; padding: .2rem .8rem; background: #fef3c7; color: #1f2937; }
.plot { margin: 1.5rem 0; }
`;

/** Returns the page. */
export function htmlReport(document: BenchDocument): string {
  const { script, style } = plotLibrary();
  const scripts = [script, PAGE_SCRIPT];
  const digests = scripts.map((text) => `'sha256-${digestOf(text)}'`).join(' ');
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src ${digests}`;
  const title = `svc-server bench: ${document.servers.join(' and ')}`;
  const warnings = document.runs.flatMap((run) =>
    run.warnings.map(
      (text) => `${document.servers[run.server] ?? ''}, round ${run.round}: ${text}`,
    ),
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}${STYLE}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<p>${escaped(whenAndHow(document))}</p>
${warnings.map((text) => `<p class="warning">${escaped(text)}</p>`).join('\n')}
<div class="plot" id="throughput"></div>
<div class="plot" id="latency"></div>
<div class="plot" id="percentiles"></div>
<div class="plot" id="errors"></div>
<h2>Results</h2>
<pre>${escaped(textReport(document).join('\n'))}</pre>
<h2>Load</h2>
<table>${optionRows(document)}</table>
<script type="application/json" id="document">${inScript(document)}</script>
<script>${script}</script>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;
}

function whenAndHow({ runs, generator }: BenchDocument): string {
  const { version, node, processors } = generator;
  return `${runs[0]?.started_at ?? ''}, generator svc ${version} on Node ${node} and ${processors} processors. Percentiles are at most 0.8 % off.`;
}

function optionRows({ options }: BenchDocument): string {
  return Object.entries(options)
    .map(([name, value]) => `<tr><th>${escaped(name)}</th><td>${escaped(String(value))}</td></tr>`)
    .join('\n');
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** JSON that cannot end the element it is in. */
function inScript(document: BenchDocument): string {
  return JSON.stringify(document).replaceAll('<', '\\u003c');
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
