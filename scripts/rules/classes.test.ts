import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { classFaults, classSizes } from './classes.ts';

const classes = suite('classes');

const because = 'Large because it is.';

const many = (line: (nth: number) => string, count = 26): string =>
  Array.from({ length: count }, (_, nth) => line(nth)).join('');

function source(text: string) {
  return { file: 'packages/net/one.ts', text };
}

const EVERY_KIND = `
abstract class Kinds<T> extends Other implements Port {
  static readonly most = 3;
  readonly plain: string;
  optional?: number;
  made = new Map<string, number>();
  readonly list: readonly string[] = [
    'one',
  ];
  readonly arrow = (value: number): void => {
    this.#hidden = value;
  };
  #hidden = 0;
  private readonly old = 1;

  /** A doc comment: its lines are no members. */
  constructor(
    first: string,
    second: number,
  ) {
    super();
    this.plain = first;
  }

  get both(): number {
    return 1;
  }

  set both(value: number) {
    if (value > 1) return;
  }

  method(): void {
    other(1);
  }

  overloaded(value: string): void;
  overloaded(value: number): void;
  overloaded(
    value: string | number,
  ): void {
    other(value);
  }

  async *generic<U>(value: U): AsyncGenerator<U> {
    yield value;
  }

  protected abstract open(): void;

  #close(): void {
    // Nothing is left.
  }

  [Symbol.iterator](): Iterator<number> {
    return this.made.values();
  }
}
`;

classes('counts every kind of member once, and fields with the private ones', () => {
  const [size] = classSizes(source(EVERY_KIND));
  assert.is(size?.name, 'Kinds');
  // most, plain, optional, made, list, arrow, both, method, overloaded, generic, [Symbol.iterator]
  assert.is(size?.members, 11);
  // most, plain, optional, made, list, arrow, #hidden, old
  assert.is(size?.fields, 8);
});

classes('counts each class of a file by itself', () => {
  const text = `class One {\n  a = 1;\n}\n\nclass Empty extends One {}\n\nexport class Two {\n  b = 1;\n  c = 2;\n}\n`;
  assert.equal(
    classSizes(source(text)).map(({ name, members }) => [name, members]),
    [
      ['One', 1],
      ['Two', 2],
    ],
  );
});

const large: readonly (readonly [name: string, body: string])[] = [
  ['public members', many((nth) => `  method${nth}(): void {}\n`)],
  ['fields, which are private', many((nth) => `  #field${nth} = 0;\n`)],
];

for (const [what, body] of large) {
  classes(`wants a reason for more than 25 ${what}`, () => {
    const bare = source(`/** Head of the file. */\n\nexport class Large {\n${body}}\n`);
    const [fault, ...rest] = classFaults([bare], 1);
    assert.match(fault!, /one\.ts: class Large has \d+ public members and \d+ fields/);
    assert.equal(rest, []);
    const own = source(`/** ${because} */\nexport class Large {\n${body}}\n`);
    assert.equal(classFaults([own], 1), []);
    const head = source(`/** ${because} */\n\nconst x = 1;\n\nclass Large {\n${body}}\n`);
    assert.equal(classFaults([head], 1), []);
  });
}

classes('a reason in the head is none for a class with a doc comment of its own', () => {
  const [, body] = large[0]!;
  const text = `/** ${because} */\n\n/** Something else. */\nexport class Large {\n${body}}\n`;
  assert.match(classFaults([source(text)], 1).join('\n'), 'class Large has 26');
});

classes('25 members need no reason', () => {
  const body = many((nth) => `  method${nth}(): void {}\n`, 25);
  assert.equal(classFaults([source(`class Small {\n${body}}\n`)], 0), []);
});

classes('refuses a reason for a class that is not large any more', () => {
  const text = `/** ${because} */\nexport class Small {\n  a = 1;\n}\n`;
  assert.equal(classFaults([source(text)], 0), [
    'packages/net/one.ts: gives a reason for a class that is not large',
  ]);
});

classes('counts large classes in both directions', () => {
  const [, body] = large[0]!;
  const text = `/** ${because} */\nexport class Large {\n${body}}\n`;
  for (const exempt of [0, 2]) {
    assert.equal(classFaults([source(text)], exempt), [
      `1 classes are large, but ${exempt} are exempt in classes.ts`,
    ]);
  }
});

classes.run();
