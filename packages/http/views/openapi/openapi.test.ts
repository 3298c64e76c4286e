import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OpenApiOperation } from '#api-types';
import { json } from '../../protocol/answer.ts';
import { integer, word, words } from '../../protocol/parameters.ts';
import type { Route } from '../../protocol/route.ts';
import { openApiDocument } from './openapi.ts';
import type { ApiSchemas } from './schemas.ts';

const description = suite('OpenAPI description of routes');

const NUMBER = { type: 'number' };
const schemas: ApiSchemas = {
  gets: { '/debug/api/node/:id': NUMBER },
  posts: { '/debug/api/kill': { request: { type: 'object' }, response: { type: 'string' } } },
  error: { $ref: '#/components/schemas/ErrorDocument' },
  components: { ErrorDocument: { type: 'object' } },
};

const GET = (): ReturnType<typeof json> => json(1);
const node: Route = {
  path: '/debug/api/node/:id',
  about: 'One node.',
  parameters: [
    integer('count', 'Number of entries.'),
    word('level', 'Least level.', ['info', 'warn']),
    words('with', 'Parts.', ['a', 'b']),
  ],
  methods: { GET },
};
const kill: Route = { path: '/debug/api/kill', about: 'Kills.', methods: { POST: GET } };
const page: Route = {
  path: '/page',
  about: 'A page.',
  isOpen: true,
  media: 'text/html',
  methods: { GET },
};

function operation(path: string, method: string): OpenApiOperation {
  const { paths } = openApiDocument([node, kill, page], schemas, '1.0');
  return paths[path]![method]!;
}

description('has the parameters of path and query', () => {
  const { parameters } = operation('/debug/api/node/{id}', 'get');
  assert.equal(
    parameters.map(({ name, in: where, required, schema }) => [name, where, required, schema]),
    [
      ['id', 'path', true, { type: 'string' }],
      ['count', 'query', false, { type: 'integer' }],
      ['level', 'query', false, { type: 'string', enum: ['info', 'warn'] }],
      [
        'with',
        'query',
        false,
        { type: 'string', description: 'Some of a, b, with commas between them.' },
      ],
    ],
  );
});

description('has the scope of each operation', () => {
  const scopes = (path: string, method: string): unknown => operation(path, method).security;
  assert.equal(scopes('/debug/api/node/{id}', 'get'), [
    { token: ['viewer'] },
    { session: ['viewer'] },
  ]);
  assert.equal(scopes('/debug/api/kill', 'post'), [{ token: ['all'] }, { session: ['all'] }]);
  assert.equal(scopes('/page', 'get'), []);
});

description('has request, response and errors', () => {
  const kills = operation('/debug/api/kill', 'post');
  assert.equal(kills.requestBody?.content, { 'application/json': { schema: { type: 'object' } } });
  assert.equal(kills.responses['200']?.content, {
    'application/json': { schema: { type: 'string' } },
  });
  assert.equal(Object.keys(kills.responses), ['200', '400', '401', '403', '409', '503', 'default']);
  assert.equal(kills.responses['409']?.content, { 'application/json': { schema: schemas.error } });
  assert.ok('404' in operation('/debug/api/node/{id}', 'get').responses);
  assert.equal(Object.keys(operation('/page', 'get').responses['200']?.content ?? {}), [
    'text/html',
  ]);
});

description('is refused for a route without a schema, and for a schema without a route', () => {
  const more: Route = { path: '/debug/api/more', about: 'More.', methods: { GET } };
  assert.throws(
    () => openApiDocument([node, kill, more], schemas, '1.0'),
    /no schema of GET .*more/,
  );
  assert.throws(
    () => openApiDocument([node, kill, { ...kill, path: '/admin/kill' }], schemas, '1.0'),
    /no schema of POST/,
  );
  assert.throws(
    () => openApiDocument([node], schemas, '1.0'),
    /no route of the schemas POST .*kill/,
  );
});

description.run();
