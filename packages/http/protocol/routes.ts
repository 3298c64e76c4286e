/** Paths with parameters, looked up among all that there are. */

import findMyWay from 'find-my-way';
import type { Found, Route } from './route.ts';

export class Routes {
  readonly all: readonly Route[];
  readonly #router = findMyWay({ caseSensitive: true, maxParamLength: 200 });

  constructor(routes: readonly Route[]) {
    this.all = routes;
    // Only paths are looked up; which methods there are is the route's own word.
    for (const route of routes) this.#router.on('GET', route.path, () => undefined, route);
  }

  find(path: string): Found | undefined {
    const found = this.#router.find('GET', path);
    return found === null ? undefined : { route: found.store as Route, params: found.params };
  }
}
