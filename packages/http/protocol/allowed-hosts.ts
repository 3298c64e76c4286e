/**
 * Host names under which protected routes may be requested. A web page can point its own domain name at this machine,
 * and a browser then treats responses as the page's own. Only the host name reveals that. An IP address as the host is
 * safe: no other site can point it at this machine.
 */

import { isIP } from 'node:net';
import { hostname } from 'node:os';

export class AllowedHosts {
  readonly #names: ReadonlySet<string>;
  /** Ends of names, each with its leading dot. */
  readonly #suffixes: readonly string[];

  /** `listed` are names, and patterns `*.name` for all names below it. */
  constructor(listed: readonly string[], bind: string) {
    const lower = listed.map((name) => name.toLowerCase());
    const isPattern = (name: string): boolean => name.startsWith('*.');
    const own = [bind.toLowerCase(), hostname().toLowerCase(), 'localhost'];
    this.#names = new Set([...own, ...lower.filter((name) => !isPattern(name))]);
    this.#suffixes = ['.localhost', ...lower.filter(isPattern).map((name) => name.slice(1))];
  }

  /** True when a request with this `Host` header is permitted. */
  admits(host: string): boolean {
    const name = nameOf(host);
    if (name === '') return false;
    if (isIP(name) !== 0 || this.#names.has(name)) return true;
    return this.#suffixes.some((suffix) => name.endsWith(suffix) && name.length > suffix.length);
  }
}

/** The name or address in a `Host` header, without port, brackets and a dot at the end; empty when there is none. */
function nameOf(host: string): string {
  const url = `http://${host}`;
  if (!URL.canParse(url)) return '';
  return new URL(url).hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}
