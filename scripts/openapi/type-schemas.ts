/**
 * JSON schemas of TypeScript types, made with the compiler's checker: what a document may be is written once, in
 * packages/api-types.
 *
 * A type with a name becomes a component of its own; all properties of intersections and mapped types are in one object.
 */
import ts from 'typescript';

export type Schema = Readonly<Record<string, unknown>>;

/** Folder of types that become components. */
const NAMED_IN = '/packages/api-types/';

export class TypeSchemas {
  readonly #checker: ts.TypeChecker;
  readonly #components = new Map<string, Schema>();
  readonly #types = new Map<string, ts.Type>();

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  /** Components so far, by name in alphabetical order. */
  get components(): Readonly<Record<string, Schema>> {
    const byName = (a: readonly [string, Schema], b: readonly [string, Schema]): number =>
      a[0] < b[0] ? -1 : 1;
    return Object.fromEntries([...this.#components].sort(byName));
  }

  /** Returns the schema of a type: a reference, if the type has a name. */
  of(type: ts.Type): Schema {
    const symbol = namedSymbol(type);
    if (symbol === undefined) return this.#shape(type);
    const { name } = symbol;
    const known = this.#types.get(name);
    if (known !== undefined && known !== type) throw new Error(`two types are named ${name}`);
    if (known === undefined) {
      this.#types.set(name, type);
      this.#components.set(name, {});
      this.#components.set(name, { ...this.#about(symbol), ...this.#shape(type) });
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** Returns the types of the properties of a type, by name. */
  propertiesOf(type: ts.Type): [name: string, type: ts.Type][] {
    return this.#checker
      .getPropertiesOfType(type)
      .map((property) => [property.name, this.#checker.getTypeOfSymbol(property)]);
  }

  #shape(type: ts.Type): Schema {
    const simple = simpleSchema(type);
    if (simple !== undefined) return simple;
    if (type.isUnion()) return this.#union(type.types);
    if (this.#checker.isTupleType(type)) {
      const parts = this.#checker.getTypeArguments(type as ts.TypeReference);
      const limits = { minItems: parts.length, maxItems: parts.length };
      return { type: 'array', items: this.#union(parts), ...limits };
    }
    if (this.#checker.isArrayType(type)) {
      const [item] = this.#checker.getTypeArguments(type as ts.TypeReference);
      return { type: 'array', items: this.of(item!) };
    }
    if ((type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0) {
      return this.#object(type);
    }
    throw new Error(`no schema for the type ${this.#checker.typeToString(type)}`);
  }

  #object(type: ts.Type): Schema {
    const properties: Record<string, Schema> = {};
    const required: string[] = [];
    for (const property of this.#checker.getPropertiesOfType(type)) {
      const schema = this.of(this.#checker.getTypeOfSymbol(property));
      properties[property.name] = { ...schema, ...this.#about(property) };
      if ((property.flags & ts.SymbolFlags.Optional) === 0) required.push(property.name);
    }
    const [index] = this.#checker.getIndexInfosOfType(type);
    const isClosed = index !== undefined && (index.type.flags & ts.TypeFlags.Never) !== 0;
    const others =
      index === undefined ? {} : { additionalProperties: isClosed ? false : this.of(index.type) };
    return {
      type: 'object',
      ...(Object.keys(properties).length === 0 ? {} : { properties }),
      ...(required.length === 0 ? {} : { required }),
      ...others,
    };
  }

  /** Literals become one list of values, simple types one list of types, and the rest alternatives. */
  #union(types: readonly ts.Type[]): Schema {
    const isNull = ({ flags }: ts.Type): boolean => (flags & ts.TypeFlags.Null) !== 0;
    const defined = types.filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0);
    const nullLast = [...defined.filter((type) => !isNull(type)), ...defined.filter(isNull)];
    const schemas = distinct(nullLast.map((type) => this.of(type)));
    const only = schemas[0]!;
    if (schemas.length === 1) return only;
    if (schemas.every((schema) => 'const' in schema || schema['type'] === 'null')) {
      const values = schemas.map((schema) => ('const' in schema ? schema['const'] : null));
      return isBoolean(values) ? { type: 'boolean' } : { enum: values };
    }
    const merged = withBoolean(schemas);
    if (merged.every((schema) => Object.keys(schema).length === 1 && 'type' in schema)) {
      return { type: merged.map((schema) => schema['type']) };
    }
    return { anyOf: merged };
  }

  #about(symbol: ts.Symbol): Schema {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(this.#checker));
    return text === '' ? {} : { description: text.replaceAll(/\s+/g, ' ') };
  }
}

/** Returns the symbol that names a type of packages/api-types; undefined for parts of other types. */
function namedSymbol(type: ts.Type): ts.Symbol | undefined {
  const { aliasSymbol, aliasTypeArguments = [] } = type;
  if (aliasSymbol !== undefined) {
    return aliasTypeArguments.length === 0 && isOurs(aliasSymbol) ? aliasSymbol : undefined;
  }
  const symbol = type.isClassOrInterface() ? type.getSymbol() : undefined;
  const isGeneric = type.isClassOrInterface() && (type.typeParameters ?? []).length > 0;
  return symbol !== undefined && !isGeneric && isOurs(symbol) ? symbol : undefined;
}

function isOurs({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some((each) => each.getSourceFile().fileName.includes(NAMED_IN));
}

/** Returns the schema of a type without parts; undefined for all others. */
function simpleSchema(type: ts.Type): Schema | undefined {
  if (type.isLiteral()) return { const: type.value };
  if ((type.flags & ts.TypeFlags.BooleanLiteral) !== 0) {
    return {
      const: (type as ts.FreshableType & { intrinsicName: string }).intrinsicName === 'true',
    };
  }
  return SIMPLE.find(([flags]) => (type.flags & flags) !== 0)?.[1];
}

const SIMPLE: readonly (readonly [flags: ts.TypeFlags, schema: Schema])[] = [
  [ts.TypeFlags.Any | ts.TypeFlags.Unknown, {}],
  [ts.TypeFlags.StringLike, { type: 'string' }],
  [ts.TypeFlags.NumberLike, { type: 'number' }],
  [ts.TypeFlags.Null, { type: 'null' }],
  [ts.TypeFlags.Boolean, { type: 'boolean' }],
  [ts.TypeFlags.Never, { not: {} }],
];

function distinct(schemas: readonly Schema[]): Schema[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}

function isBoolean(values: readonly unknown[]): boolean {
  return values.length === 2 && values.includes(true) && values.includes(false);
}

/** Replaces both values of a boolean by its type. */
function withBoolean(schemas: readonly Schema[]): Schema[] {
  const isValue = (schema: Schema): boolean => typeof schema['const'] === 'boolean';
  if (schemas.filter(isValue).length < 2) return [...schemas];
  return [...schemas.filter((schema) => !isValue(schema)), { type: 'boolean' }];
}
