/** Page of all runbooks at /debug/runbooks: it is served while main is stuck, and needs no script. */

import type { Runbook } from '#api-types';
import { RUNBOOKS } from '#stats';
import { HTML_TYPE } from '../protocol/answer.ts';
import type { Route } from '../protocol/route.ts';
import { escape } from './markup.ts';

export function runbooksRoute(): Route {
  return {
    path: '/debug/runbooks',
    about: 'Runbooks: meaning, places to look at and things to do for each health code and alert.',
    media: 'text/html',
    methods: { GET: () => ({ status: 200, type: HTML_TYPE, body: page() }) },
  };
}

function page(): string {
  const links = RUNBOOKS.map(({ name }) => `<li><a href="#${name}">${name}</a></li>`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>svc: runbooks</title>
<link rel="stylesheet" href="/debug/runbooks.css">
<header><h1>Runbooks</h1><p><a href="/debug/">Debug pages</a></p></header>
<nav aria-label="Runbooks"><ul>${links.join('')}</ul></nav>
<main>
${RUNBOOKS.map(section).join('\n')}
</main>
</html>
`;
}

function section({ name, meaning, look, act, alerts }: Runbook): string {
  const others = alerts.filter((alert) => alert !== name);
  const anchors = others.map((alert) => `<span id="${alert}"></span>`).join('');
  const list = (lines: readonly string[]): string =>
    `<ul>${lines.map((line) => `<li>${marked(line)}</li>`).join('')}</ul>`;
  return `<section aria-labelledby="${name}">${anchors}<h2 id="${name}">${name}</h2>
<p>${marked(meaning)}</p>${others.length > 0 ? `\n<p>Alerts: ${others.join(', ')}.</p>` : ''}
<h3>Where to look</h3>${list(look)}
<h3>What to do</h3>${list(act)}
</section>`;
}

/** Text with its commands marked; links to other pages of the guide are its words only. */
function marked(text: string): string {
  return escape(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll(/(?<![\w#>])([A-Z]+(?:_[A-Z]+)+)(?!\w)/g, (word) => linked(word));
}

function linked(word: string): string {
  return RUNBOOKS.some(({ name }) => name === word) ? `<a href="#${word}">${word}</a>` : word;
}
