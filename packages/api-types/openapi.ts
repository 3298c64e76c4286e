/** Description of the HTTP API in the form of OpenAPI 3.1. */

/** JSON schema of the 2020-12 draft. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  /** Operations by path and method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: Readonly<Record<string, JsonSchema>>;
  };
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly OpenApiParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: OpenApiContent };
  /** Responses by status code; `default` is for all others. */
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
  /** Empty for open paths; otherwise alternatives, each with the needed scope. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly content?: OpenApiContent;
}

/** Schemas of bodies by media type. */
export type OpenApiContent = Readonly<Record<string, { readonly schema: JsonSchema }>>;
