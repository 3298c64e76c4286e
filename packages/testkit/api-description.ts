/** The description of the HTTP API that a server returns, against which tests check its documents. */

import Ajv from 'ajv';
import type { JsonSchema, OpenApiDocument, OpenApiOperation } from '#api-types';

type Method = 'get' | 'post';

export class ApiDescription {
  readonly document: OpenApiDocument;
  readonly #ajv = new Ajv({ allErrors: true });

  constructor(document: OpenApiDocument) {
    this.document = document;
    this.#ajv.addSchema(closed(document) as object, 'api');
  }

  /** Paths with that method whose success is a JSON document. */
  documentPaths(method: Method): string[] {
    return Object.entries(this.document.paths)
      .filter(([, operations]) => jsonOf(operations[method]) !== undefined)
      .map(([path]) => path);
  }

  /**
   * Returns what is wrong with a document; empty if it is as described. Fields that are not described are faults, too.
   * `path` is as in the description, with parameters in braces.
   */
  faults(method: Method, path: string, status: number, document: unknown): string[] {
    const schema = jsonOf(this.document.paths[path]?.[method], status);
    if (schema === undefined) return [`${method} ${path} ${status} is not described`];
    const validate = this.#ajv.compile(inDescription(schema));
    if (validate(document) === true) return [];
    return (validate.errors ?? []).map(
      ({ dataPath, message = '', params }) =>
        `${path} ${dataPath} ${message} ${JSON.stringify(params)}`,
    );
  }
}

/** Schema of the JSON body for a status; without a status, that of success. */
function jsonOf(operation: OpenApiOperation | undefined, status?: number): JsonSchema | undefined {
  if (operation === undefined) return undefined;
  const { responses } = operation;
  const success = Object.keys(responses).find((each) => each.startsWith('2')) ?? '';
  const response =
    status === undefined ? responses[success] : (responses[String(status)] ?? responses['default']);
  return response?.content?.['application/json']?.schema;
}

/** References to components lead into the description. */
function inDescription(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(closed(schema));
  return JSON.parse(text.replaceAll('"#/components/', '"api#/components/')) as JsonSchema;
}

/** Returns schemas that allow only the described fields. */
function closed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(closed);
  const parts = Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, closed(part)]),
  );
  const isOpen = parts['type'] === 'object' && 'properties' in parts;
  return isOpen && !('additionalProperties' in parts)
    ? { ...parts, additionalProperties: false }
    : parts;
}
