/** The module with the JSON schemas of the HTTP API, made from the types of packages/api-types. */
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';
import { type Schema, TypeSchemas } from './type-schemas.ts';

/** Module with the types by path. */
const PATHS = 'packages/api-types/paths.ts';
/** Type of the body of all errors. */
const ERRORS = 'packages/api-types/actions.ts';

const HEAD = [
  '/* eslint-disable max-lines -- generated */',
  '/** JSON schemas of the HTTP API, made from packages/api-types by `npm run generate`. */',
  "import type { ApiSchemas } from './schemas.ts';",
  '',
  'export const apiSchemas: ApiSchemas = ',
].join('\n');

/** Returns the source text of the module. */
export async function apiSchemasModule(root: string): Promise<string> {
  const program = programOf(root);
  const checker = program.getTypeChecker();
  const schemas = new TypeSchemas(checker);
  const typeIn = (file: string, name: string): ts.Type => {
    const source = program.getSourceFile(path.join(root, file))!;
    const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source)!);
    return checker.getDeclaredTypeOfSymbol(exported.find((each) => each.name === name)!);
  };
  const gets = schemas
    .propertiesOf(typeIn(PATHS, 'ApiGets'))
    .map(([name, type]): [string, Schema] => [name, schemas.of(type)]);
  const posts = schemas.propertiesOf(typeIn(PATHS, 'ApiPosts')).map(([name, type]) => {
    const bodies = schemas.propertiesOf(type).map(([body, of]) => [body, schemas.of(of)] as const);
    return [name, Object.fromEntries(bodies)] as const;
  });
  const error = schemas.of(typeIn(ERRORS, 'ErrorDocument'));
  const { components } = schemas;
  const content = {
    gets: Object.fromEntries(gets),
    posts: Object.fromEntries(posts),
    error,
    components,
  };
  const settings = await resolveConfig(path.join(root, PATHS), {
    config: path.join(root, 'configs/tools/prettier.json'),
  });
  return format(`${HEAD}${JSON.stringify(content)};\n`, { ...settings, parser: 'typescript' });
}

function programOf(root: string): ts.Program {
  const read = ts.readConfigFile(path.join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file));
  const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, root);
  return ts.createProgram(
    [PATHS, ERRORS].map((file) => path.join(root, file)),
    {
      ...options,
      noEmit: true,
      incremental: false,
    },
  );
}
