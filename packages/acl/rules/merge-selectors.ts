/** Joins the words of a selector that was given in several, as `(+get ~a*)` is when it is not in quotes. */

import { untilNul } from '#base';

/** The rules; or the word that opens a selector which nothing closes. */
type Merged = { readonly rules: readonly string[] } | { readonly unmatched: string };

export function mergeSelectors(words: readonly string[]): Merged {
  const rules: string[] = [];
  let open: string | undefined;
  let selector: string[] = [];
  for (const word of words) {
    if (open === undefined && word.startsWith('(') && !word.endsWith(')')) {
      open = word;
      selector = [word];
    } else if (open === undefined) {
      rules.push(word);
    } else {
      selector.push(untilNul(word));
      if (!word.endsWith(')')) continue;
      rules.push(selector.join(' '));
      open = undefined;
    }
  }
  return open === undefined ? { rules } : { unmatched: open };
}
