/** The catalogue of error replies against the list of codes, in both directions. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CommandError, ERROR_CODES, errors } from './command-error.ts';

const catalogue = suite('error catalogue');

/** Returns the arguments that an error is made of. */
function samplesFor(name: string): readonly unknown[] {
  return name === 'execRefused' ? [errors.outOfMemory] : ['word', 'other'];
}

const texts = Object.entries(errors).map(([name, value]) => {
  const error =
    value instanceof CommandError
      ? value
      : (value as (...words: unknown[]) => CommandError)(...samplesFor(name));
  return [name, error.text] as const;
});

catalogue('begins every text with a code of the list', () => {
  for (const [name, text] of texts) {
    const [code = ''] = text.split(' ', 1);
    assert.ok((ERROR_CODES as readonly string[]).includes(code), `${name}: ${text}`);
    assert.match(text, /^[A-Z]+ \S/, name);
    assert.not.match(text, /[\r\n]/, name);
  }
});

/** Codes of features that are still to come, or that their commands spell themselves. */
const withoutText = [...['BUSYKEY', 'BUSYGROUP', 'NOGROUP', 'INVALIDOBJ'], 'IOERR'];

catalogue('has a text for every code that is in use', () => {
  const used = new Set(texts.map(([, text]) => text.split(' ', 1)[0]));
  const unused = ERROR_CODES.filter((code) => !used.has(code));
  assert.equal(unused, withoutText);
});

catalogue('has every code once', () => {
  assert.is(new Set(ERROR_CODES).size, ERROR_CODES.length);
});

catalogue('captures no stack', () => {
  assert.not.match(errors.wrongArguments('get').stack ?? '', /\n\s+at /);
});

catalogue('cuts a long name of a subcommand', () => {
  const { text } = errors.unknownSubcommand('x'.repeat(1_000), 'CLIENT');
  assert.is(text, `ERR unknown subcommand '${'x'.repeat(128)}'. Try CLIENT HELP.`);
});

catalogue.run();
