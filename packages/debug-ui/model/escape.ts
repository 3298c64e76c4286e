/**
 * Text that came from clients, made visible: what has no shape of its own, or would reorder what stands
 * around it, is shown as an escape. It is put into pages as text only, never as markup.
 */

/** Controls, format characters (bidi overrides, zero widths), lone surrogates, private and unassigned. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The longest text that is shown whole. */
const CHARS_MAX = 512;

export function visible(text: string, charsMax = CHARS_MAX): string {
  const cut = text.length > charsMax ? text.slice(0, charsMax) : text;
  const shown = cut.replaceAll('\\', '\\\\').replaceAll(INVISIBLE, escape);
  return cut === text ? shown : `${shown}… (${text.length - charsMax} more)`;
}

/** A key, so that the empty one and those with spaces at an end are seen too. */
export function visibleKey(key: string): string {
  return key === '' || /^\s|\s$/.test(key) ? `"${visible(key)}"` : visible(key);
}

/** Bytes, one for each character: only what is ASCII is shown as itself. */
export function visibleBytes(bytes: string): string {
  return visible(bytes).replaceAll(/[\x80-\xff]/g, escape);
}

/** A source: its lines stay, and its backslashes are those that it has. */
export function visibleSource(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(INVISIBLE, (char) => (char === '\n' ? char : char === '\t' ? '  ' : escape(char)));
}

/** A command with its arguments, those with spaces in quotes, as it would be typed. */
export function visibleCommand(args: readonly string[], argumentCharsMax = 128): string {
  return args
    .map((argument) => {
      const shown = visible(argument, argumentCharsMax);
      return argument === '' || /[\s"]/.test(argument)
        ? `"${shown.replaceAll('"', '\\"')}"`
        : shown;
    })
    .join(' ');
}

function escape(char: string): string {
  const short = SHORT[char];
  if (short !== undefined) return short;
  const code = char.codePointAt(0)!;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  return `\\u{${code.toString(16)}}`;
}
