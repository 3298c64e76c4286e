/** The description of the HTTP API, made from the table of routes and the schemas of the documents. */

import type {
  AccessScope,
  JsonSchema,
  OpenApiContent,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
} from '#api-types';
import type { ApiSchemas } from './schemas.ts';
import {
  documentAt,
  isForViewers,
  isProtected,
  type Parameter,
  PROBE_PATHS,
  type Route,
} from '../../protocol/route.ts';

const JSON_MEDIA = 'application/json';

const ABOUT =
  'Scope viewer is the token of http.viewer-token, scope all that of http.token; without a token all is open to names of this machine. ' +
  'GET routes also respond to HEAD. Fields may be added: clients should ignore unknown ones.';

/** Means of authentication; the cookie has the port that the browser connects to in its name. */
const SECURITY: Readonly<Record<string, JsonSchema>> = {
  token: { type: 'http', scheme: 'bearer' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'svc-token-9090',
    description: 'Cookie of /debug/login; its name ends with the HTTP port.',
  },
};

/** Makes the document when it is first requested. */
export function openApiRoute(routes: () => readonly Route[], version: string): Route {
  let document: Promise<OpenApiDocument> | undefined;
  return documentAt('/debug/openapi.json', 'Description of this API (OpenAPI 3.1).', () => {
    document ??= import('./api-schemas.ts').then(({ apiSchemas }) =>
      openApiDocument(routes(), apiSchemas, version),
    );
    return document;
  });
}

/** Returns the description of all routes. */
export function openApiDocument(
  routes: readonly Route[],
  schemas: ApiSchemas,
  version: string,
): OpenApiDocument {
  demandRoutes(routes, schemas);
  return {
    openapi: '3.1.0',
    info: { title: 'svc HTTP API', version, description: ABOUT },
    paths: Object.fromEntries(routes.map((route) => [pathOf(route), operationsOf(route, schemas)])),
    components: { schemas: schemas.components, securitySchemes: SECURITY },
  };
}

/** Throws if a schema has no route. */
function demandRoutes(routes: readonly Route[], { gets, posts }: ApiSchemas): void {
  const without = (method: 'GET' | 'POST', paths: readonly string[]): string[] =>
    paths
      .filter((path) => !routes.some((each) => each.path === path && method in each.methods))
      .map((path) => `${method} ${path}`);
  const lost = [...without('GET', Object.keys(gets)), ...without('POST', Object.keys(posts))];
  if (lost.length > 0) throw new Error(`no route of the schemas ${lost.join(', ')}`);
}

/** Path with its parameters in braces. */
function pathOf({ path }: Route): string {
  return path.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{file}');
}

function operationsOf(route: Route, schemas: ApiSchemas): Record<string, OpenApiOperation> {
  const { GET, POST } = route.methods;
  return {
    ...(GET === undefined
      ? {}
      : { get: operationOf(route, 'GET', contentOf(route, schemas), schemas) }),
    ...(POST === undefined ? {} : { post: postOf(route, schemas) }),
  };
}

/** Returns the content of the response to a GET; undefined for a redirect. */
function contentOf(
  { path, media, status = 200 }: Route,
  { gets }: ApiSchemas,
): OpenApiContent | undefined {
  if (status >= 300) return undefined;
  if (media !== undefined) return { [media]: { schema: { type: 'string' } } };
  const schema = gets[path];
  if (schema === undefined) throw new Error(`no schema of GET ${path}`);
  return { [JSON_MEDIA]: { schema } };
}

function postOf(route: Route, schemas: ApiSchemas): OpenApiOperation {
  const bodies = schemas.posts[route.path];
  if (bodies === undefined) {
    if ((route.status ?? 200) < 300) throw new Error(`no schema of POST ${route.path}`);
    return operationOf(route, 'POST', undefined, schemas);
  }
  const content = (schema: JsonSchema): OpenApiContent => ({ [JSON_MEDIA]: { schema } });
  return {
    ...operationOf(route, 'POST', content(bodies.response), schemas),
    // Paths of administration have no body; actions of the pages have one in any case.
    ...(route.path.startsWith('/debug')
      ? { requestBody: { required: true, content: content(bodies.request) } }
      : {}),
  };
}

function operationOf(
  route: Route,
  method: 'GET' | 'POST',
  content: OpenApiContent | undefined,
  { error }: ApiSchemas,
): OpenApiOperation {
  const status = String(route.status ?? 200);
  const failure: OpenApiContent = { [JSON_MEDIA]: { schema: error } };
  return {
    operationId: operationId(method, route.path),
    summary: route.about,
    parameters: parametersOf(route),
    responses: {
      [status]: { description: 'Success.', ...(content === undefined ? {} : { content }) },
      ...failuresOf(route, failure),
      ...(PROBE_PATHS.has(route.path) && content !== undefined
        ? { 503: { description: 'Not ready, or shutting down.', content } }
        : {}),
      default: { description: 'Any other error.', content: failure },
    },
    security: securityOf(route, method),
  };
}

function failuresOf(route: Route, content: OpenApiContent): Record<string, OpenApiResponse> {
  const isOpen = !isProtected(route.path, route);
  return {
    ...(route.parameters === 'any'
      ? {}
      : { 400: { description: 'Unknown or invalid parameter, or invalid body.', content } }),
    ...(isOpen
      ? {}
      : {
          401: { description: 'No token, or a wrong one.', content },
          403: { description: 'Not allowed with this token, host or site.', content },
        }),
    ...(/[:*]/.test(route.path) ? { 404: { description: 'Not found.', content } } : {}),
    ...(route.methods.POST === undefined
      ? {}
      : { 409: { description: 'Refused; `error` has the reason.', content } }),
    503: {
      description: 'The main thread is stuck or did not reply in time, or too many requests.',
      content,
    },
  };
}

function securityOf(route: Route, method: string): OpenApiOperation['security'] {
  if (!isProtected(route.path, route)) return [];
  const scope: AccessScope = isForViewers(route.path, method, route) ? 'viewer' : 'all';
  return Object.keys(SECURITY).map((scheme) => ({ [scheme]: [scope] }));
}

function parametersOf({ path, parameters = [] }: Route): OpenApiParameter[] {
  const names = [...path.matchAll(/:(\w+)|(\*)/g)].map(([, name]) => name ?? 'file');
  const inPath = names.map((name): OpenApiParameter => ({
    name,
    in: 'path',
    required: true,
    description: 'Part of the path.',
    schema: { type: 'string' },
  }));
  return parameters === 'any' ? inPath : [...inPath, ...parameters.map(queryParameter)];
}

function queryParameter({ name, about, type, values }: Parameter): OpenApiParameter {
  const isList = type === 'words' || type === 'flag';
  const one = { type: isList ? 'string' : type };
  const schema =
    type === 'words'
      ? {
          type: 'string',
          description: `Some of ${values?.join(', ') ?? ''}, with commas between them.`,
        }
      : { ...one, ...(values === undefined ? {} : { enum: values }) };
  return { name, in: 'query', required: false, description: about, schema };
}

/** `GET /debug/api/config/defaults` is `getDebugApiConfigDefaults`. */
function operationId(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const name = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
  return `${method.toLowerCase()}${name}${path.endsWith('/') ? 'Index' : ''}`;
}
