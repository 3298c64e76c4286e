/** List of all paths with their contents; also shown at /debug/ if no web UI was built. */

import { HTML_TYPE, type Answer } from '../protocol/answer.ts';
import { allowedMethods, type Route } from '../protocol/route.ts';
import { escape } from './markup.ts';

export function indexPage(routes: readonly Route[], version: string): Answer {
  const rows = routes.map((route) => {
    const methods = allowedMethods(route).filter((method) => method !== 'HEAD');
    const isLink = methods.includes('GET') && !/[:*]/.test(route.path) && route.isMutation !== true;
    const path = escape(route.path);
    const shown = isLink ? `<a href="${path}">${path}</a>` : path;
    return `<tr><td>${methods.join(', ')}</td><td>${shown}</td><td>${escape(route.about)}</td></tr>`;
  });
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>svc</title>
<h1>svc ${escape(version)}</h1>
<table>
<thead><tr><th scope="col">Method</th><th scope="col">Path</th><th scope="col">Contents</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</html>
`;
  return { status: 200, type: HTML_TYPE, body };
}
