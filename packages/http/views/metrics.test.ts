import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatFor } from './metrics.ts';

const formats = suite('formats of metrics');

const cases: readonly (readonly [accept: string, format: string])[] = [
  ['', 'text'],
  ['*/*', 'text'],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'text'],
  ['application/openmetrics-text', 'openmetrics'],
  ['application/openmetrics-text; version=1.0.0; charset=utf-8', 'openmetrics'],
  [
    'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3',
    'openmetrics',
  ],
  ['application/openmetrics-text;q=0.2,text/plain;q=0.9', 'text'],
  ['application/openmetrics-text;q=0', 'text'],
  ['application/openmetrics-text;q=x', 'text'],
];
for (const [accept, format] of cases) {
  formats(`${format} for ${JSON.stringify(accept)}`, () => {
    assert.is(formatFor(accept), format);
  });
}

formats.run();
