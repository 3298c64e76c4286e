/**
 * What the linter holds us to: typescript-eslint's strictest set, and the caps of this code.
 *
 * A cap is the point where something wants splitting. A file that is better whole says so in an
 * `eslint-disable` line with its reason.
 */
import tseslint from 'typescript-eslint';
import { scratchPlugin } from './scratch-rules.js';

const noDefaultExport = {
  selector: 'ExportDefaultDeclaration',
  message: 'Named exports only.',
};
const noStarExport = {
  selector: 'ExportAllDeclaration',
  message: 'Name what is exported: `export *` hides it.',
};
const noSpreadLiteral = {
  selector: 'ObjectExpression > SpreadElement > ObjectExpression',
  message: 'Plain properties: in a spread the compiler does not check for unknown ones.',
};

/** Comments explain, and wiring has a line for each property: neither makes a file hard to follow. */
const codeOnly = { skipComments: true, skipBlankLines: true };

const caps = {
  'max-lines': ['error', { max: 400, ...codeOnly }],
  'max-lines-per-function': ['error', { max: 60, ...codeOnly }],
  'max-params': 'off',
  '@typescript-eslint/max-params': ['error', { max: 4 }],
  'max-depth': ['error', 3],
  complexity: ['error', 12],
};

/** In the types of ES2024, but not in Node 20. */
const newerThanNode20 = [
  { object: 'Promise', property: 'withResolvers' },
  { object: 'Object', property: 'groupBy' },
  { object: 'Map', property: 'groupBy' },
  { object: 'Array', property: 'fromAsync' },
].map((entry) => ({ ...entry, message: 'Node 20 does not have it.' }));

/** A string has more bits than a shift of 32 bits can number. */
const noShiftOfBits = {
  selector: 'BinaryExpression[operator=/^>>>?$/][right.value=3]',
  message: 'The byte of a bit may lie beyond 2^31: ask byteOf of commands/bitmap.',
};

/** A length of 2^31 bytes and more is negative for `>>`, `|` and `~`. */
const noSignedLengths = {
  selector:
    'BinaryExpression[operator=/^(>>|\\||&)$/]:matches([left.property.name=/^(byteLength|byteCount|length)$/], [left.name=/^(byteLength|byteCount|length|size)$/][right.type="UnaryExpression"])',
  message: 'A length may lie beyond 2^31: shift it by >>>, and round it by division.',
};

/** Syntax that no file of ours has. */
const nowhere = [noDefaultExport, noStarExport, noSpreadLiteral, noSignedLengths];

/** The context of commands is entered and left by its own methods: what is set beside them would have to be reset. */
const noContextWrites = {
  selector:
    'AssignmentExpression[left.type="MemberExpression"]:matches([left.object.name="context"], [left.object.property.name="context"])',
  message: 'The fields of the context are set in shard/execution alone.',
};

const habits = {
  eqeqeq: 'error',
  'no-console': 'error',
  'no-restricted-properties': ['error', ...newerThanNode20],
  'no-restricted-syntax': ['error', ...nowhere],
  '@typescript-eslint/consistent-type-imports': 'error',
  // A method of an interface that has nothing to do with an argument names it all the same.
  '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
  '@typescript-eslint/switch-exhaustiveness-check': [
    'error',
    { considerDefaultExhaustiveForUnions: true },
  ],
  // Typed memory answers `number | undefined` on every index, and a check that cannot fail costs
  // the hot path; `!` costs nothing and says "the index is in range".
  '@typescript-eslint/no-non-null-assertion': 'off',
  '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
  // Takes a subclass that comes from a CommonJS package for a stranger.
  '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
  // A test's `() => assert.equal(...)` returns nothing, and reads well.
  '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
  '@typescript-eslint/no-unnecessary-condition': [
    'error',
    { allowConstantLoopConditions: 'only-allowed-literals' },
  ],
};

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'svc-data/', 'bench/results/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: `${import.meta.dirname}/../..` },
    },
    rules: { ...habits, ...caps },
  },
  {
    // On the hot path a place in memory is a buffer, an offset and a length; an options object would
    // be garbage made per command, and a helper per branch a call per byte.
    files: ['packages/{base,commands,link,lua,resp,router,shard,stats,store}/**/*.ts'],
    rules: { '@typescript-eslint/max-params': ['error', { max: 6 }], complexity: ['error', 16] },
  },
  {
    files: ['packages/commands/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...nowhere, noShiftOfBits],
    },
  },
  {
    files: ['packages/shard/**/*.ts'],
    ignores: ['packages/shard/execution/**', '**/*.test.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...nowhere, noContextWrites],
    },
  },
  {
    files: ['packages/{commands,shard,store}/**/*.ts'],
    ignores: ['**/*.test.ts'],
    plugins: { scratch: scratchPlugin },
    rules: { 'scratch/name': 'error', 'scratch/no-stops': 'error' },
  },
  {
    files: ['**/*.test.ts'],
    rules: { 'max-lines': ['error', { max: 600, ...codeOnly }], 'max-lines-per-function': 'off' },
  },
  {
    files: ['scripts/**', 'bench/**'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    extends: [tseslint.configs.base],
    rules: { eqeqeq: 'error' },
  },
);
