/** The checker accepts what can have happened, and nothing else. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { linearize, type Operation } from './linearizability.ts';
import { Random } from './random.ts';

const checker = suite('linearizability checker');

type Registers = Readonly<Record<string, number>>;
type Step = readonly [calledAt: number, returnedAt: number, text: string];

/** `x=1` writes, `x?1` read 1, `x++3` counted up to 3, `x?1 y?2` read both at once. */
function operation([calledAt, returnedAt, text]: Step): Operation<Registers> {
  return {
    text,
    calledAt,
    returnedAt,
    apply(state) {
      let after: Record<string, number> = { ...state };
      for (const part of text.split(' ')) {
        const [, name = '', kind, digits] = /^(\w)(=|\?|\+\+)(\d+)$/.exec(part) ?? [];
        const value = Number(digits);
        const now = after[name] ?? 0;
        if (kind === '?' && now !== value) return undefined;
        if (kind === '++' && now + 1 !== value) return undefined;
        if (kind !== '?') after = { ...after, [name]: value };
      }
      return after;
    },
  };
}

const check = (clients: readonly (readonly Step[])[]): boolean =>
  linearize(
    clients.map((steps) => steps.map(operation)),
    {},
    (state) => JSON.stringify(Object.entries(state).sort()),
  ).isLinearizable;

const possible: readonly (readonly [what: string, clients: readonly (readonly Step[])[]])[] = [
  ['nothing', []],
  [
    'one after the other',
    [
      [
        [0, 1, 'x=1'],
        [2, 3, 'x?1'],
      ],
    ],
  ],
  ['a read during a write sees the old value', [[[0, 9, 'x=1']], [[1, 2, 'x?0']]]],
  ['a read during a write sees the new value', [[[0, 9, 'x=1']], [[1, 2, 'x?1']]]],
  [
    'two writes at once, read in either order',
    [
      [
        [0, 9, 'x=1'],
        [10, 11, 'x?2'],
      ],
      [[0, 9, 'x=2']],
    ],
  ],
  ['counting at once', [[[0, 9, 'x++2']], [[0, 9, 'x++1']], [[0, 9, 'x++3']]]],
  [
    'a later client decides the order of two earlier ones',
    [[[0, 5, 'x=1']], [[0, 5, 'y=1']], [[1, 4, 'x?1 y?0']], [[1, 4, 'x?1 y?1']]],
  ],
];

for (const [what, clients] of possible) {
  checker(`accepts: ${what}`, () => assert.ok(check(clients)));
}

const impossible: typeof possible = [
  ['a value nobody wrote', [[[0, 1, 'x?7']]]],
  ['a stale read', [[[0, 1, 'x=1']], [[2, 3, 'x?0']]]],
  [
    'a lost write',
    [
      [
        [0, 1, 'x=1'],
        [2, 3, 'x=2'],
      ],
      [[4, 5, 'x?1']],
    ],
  ],
  [
    'time that runs back',
    [
      [[0, 9, 'x=1']],
      [
        [1, 2, 'x?1'],
        [3, 4, 'x?0'],
      ],
    ],
  ],
  ['the same count twice', [[[0, 9, 'x++1']], [[0, 9, 'x++1']]]],
  [
    'a client whose own order is not kept',
    [
      [
        [0, 1, 'x=1'],
        [2, 3, 'x=2'],
        [4, 5, 'x?1'],
      ],
    ],
  ],
  ['half of a write of two', [[[0, 9, 'x=1 y=1']], [[1, 2, 'x?1 y?0']]]],
  [
    'two readers that see two writes in opposite orders',
    [[[0, 9, 'x=1']], [[0, 9, 'y=1']], [[1, 8, 'x?1 y?0']], [[1, 8, 'x?0 y?1']]],
  ],
];

for (const [what, clients] of impossible) {
  checker(`refuses: ${what}`, () => assert.not.ok(check(clients)));
}

checker('says how far it came', () => {
  const verdict = linearize(
    [[operation([0, 1, 'x=1']), operation([2, 3, 'x?1']), operation([4, 5, 'x?5'])]],
    {},
    (state) => JSON.stringify(state),
  );
  assert.equal(verdict, { isLinearizable: false, longest: ['x=1', 'x?1'] });
});

/** Operations of a real run on one register, each spread around its moment. */
function recorded(random: Random, clientCount: number, count: number): Step[][] {
  const clients = Array.from({ length: clientCount }, (): Step[] => []);
  const freeAt = new Array<number>(clientCount).fill(0);
  let value = 0;
  for (let nth = 1; nth <= count; nth += 1) {
    const moment = nth * 10;
    const client = random.integer(0, clientCount - 1);
    const calledAt = Math.max(freeAt[client]!, moment - random.integer(1, 60));
    const returnedAt = moment + random.integer(1, 60);
    if (calledAt >= moment) continue;
    freeAt[client] = returnedAt + 1;
    const isWrite = random.chance(0.5);
    if (isWrite) value = nth;
    clients[client]!.push([calledAt, returnedAt, isWrite ? `x=${value}` : `x?${value}`]);
  }
  return clients;
}

checker('accepts long histories that did happen, and refuses them with one reply changed', () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const clients = recorded(new Random(seed), 8, 300);
    assert.ok(check(clients), `seed ${String(seed)}`);
    const reads = clients.flat().filter(([, , text]) => text.includes('?'));
    const changed = reads[Math.floor(reads.length / 2)];
    const spoilt = clients.map((steps) =>
      steps.map((step): Step => (step === changed ? [step[0], step[1], 'x?9999'] : step)),
    );
    assert.not.ok(check(spoilt), `seed ${String(seed)}, spoilt`);
  }
});

checker.run();
