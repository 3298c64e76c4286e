/** Form of the generated schemas. */

import type { JsonSchema } from '#api-types';

/** Schemas of documents by the paths of routes. */
export interface ApiSchemas {
  readonly gets: Readonly<Record<string, JsonSchema>>;
  readonly posts: Readonly<
    Record<string, { readonly request: JsonSchema; readonly response: JsonSchema }>
  >;
  readonly error: JsonSchema;
  readonly components: Readonly<Record<string, JsonSchema>>;
}
