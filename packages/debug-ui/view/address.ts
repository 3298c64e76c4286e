/** Parameters of the page in the address, as in `#/clients?id=7`: links of issues and of other pages set them. */

import { useEffect, useState } from 'preact/hooks';

function parameter(name: string): string | null {
  return new URLSearchParams(location.hash.split('?')[1]).get(name);
}

/** Address of a page with its parameters. */
export function pageLink(page: string, parameters: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(parameters).toString();
  return `#/${page}${query === '' ? '' : `?${query}`}`;
}

/** Address of a page for a link of the server, as `/debug/clients?id=7`; null for other paths. */
export function addressOf(link: string): string | null {
  return link.startsWith('/debug/') ? `#/${link.slice('/debug/'.length)}` : null;
}

/** Returns a parameter of the address, and a function that changes it there; null removes it. */
export function useParameter(name: string): [string | null, (value: string | null) => void] {
  const [value, setValue] = useState(() => parameter(name));
  useEffect(() => {
    const listener = (): void => setValue(parameter(name));
    window.addEventListener('hashchange', listener);
    return () => window.removeEventListener('hashchange', listener);
  }, [name]);
  const change = (next: string | null): void => {
    const [page = '', query] = location.hash.replace(/^#\/?/, '').split('?');
    const parameters = new URLSearchParams(query);
    if (next === null || next === '') parameters.delete(name);
    else parameters.set(name, next);
    history.replaceState(null, '', pageLink(page, Object.fromEntries(parameters)));
    setValue(next === '' ? null : next);
  };
  return [value, change];
}
