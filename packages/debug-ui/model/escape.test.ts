import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { visible, visibleBytes, visibleCommand, visibleKey, visibleSource } from './escape.ts';

const escaping = suite('escapes of the debug pages');

const cases: readonly (readonly [what: string, shown: string, wanted: string])[] = [
  ['plain text', visible('user:1 ü 日本'), 'user:1 ü 日本'],
  ['lines', visible('a\r\n\tb'), 'a\\r\\n\\tb'],
  ['controls', visible('\0\x1b[31m\x7f\x9b'), '\\x00\\x1b[31m\\x7f\\x9b'],
  ['text that turns around', visible('a\u202eb\u2066'), 'a\\u{202e}b\\u{2066}'],
  ['what has no width', visible('a\u200bb\ufeff'), 'a\\u{200b}b\\u{feff}'],
  ['half a character', visible('\ud800'), '\\u{d800}'],
  ['strange spaces', visible('a\u00a0\u3000b c'), 'a\\xa0\\u{3000}b c'],
  ['a backslash, to tell it from an escape', visible('\\x00'), '\\\\x00'],
  ['markup as it is: it is shown as text', visible('<b>&amp;'), '<b>&amp;'],
  ['what is too long', visible('abcdef', 4), 'abcd… (2 more)'],
  ['a length that is just right', visible('abcd', 4), 'abcd'],
  ['the empty key', visibleKey(''), '""'],
  ['a key with a space at its end', visibleKey('a '), '"a "'],
  ['bytes', visibleBytes('\xff\x00A\xe2'), '\\xff\\x00A\\xe2'],
  ['a command', visibleCommand(['SET', 'a b', '', 'say "hi"']), 'SET "a b" "" "say \\"hi\\""'],
  ['a source', visibleSource('a\r\n\t"\\n"\u202e\0'), 'a\n  "\\n"\\u{202e}\\x00'],
];
for (const [what, shown, wanted] of cases) escaping(what, () => assert.is(shown, wanted));

escaping.run();
