/** The checkers of a cluster under faults: they find planted faults, and let pass all that may be. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OwnershipHistory } from './ownership-history.test-helper.ts';
import { RegisterHistory } from './register-history.test-helper.ts';
import { SetHistory, type Outcome } from './set-history.test-helper.ts';

const histories = suite('histories of a cluster under faults');

/** `a: 0-1 =x` writes and is confirmed, `=x?` is perhaps there, `=x!` was refused; `>x` reads and is confirmed, `~x` reads. */
function register(...lines: readonly string[]): string[] {
  const history = new RegisterHistory();
  for (const line of lines) {
    const [, client, from, to, kind, value, mark] = /^(\w): (\d+)-(\d+) ([=>~])(\w*)([?!]?)$/.exec(
      line,
    ) as unknown as string[];
    const span = { client: client!, calledAt: Number(from), returnedAt: Number(to), value: value! };
    const outcome: Outcome = mark === '?' ? 'perhaps' : mark === '!' ? 'refused' : 'confirmed';
    if (kind === '=') history.wrote({ ...span, outcome });
    else history.read({ ...span, isConfirmed: kind === '>' });
  }
  return history.faults('r');
}

const fine: readonly (readonly [what: string, lines: readonly string[]])[] = [
  ['a write is read', ['a: 0-1 =x', 'b: 2-3 >x', 'b: 4-5 ~x']],
  [
    'a write that nobody confirmed is seen, and lost',
    ['a: 0-1 =x', 'a: 2-3 =y?', 'b: 4-5 ~y', 'b: 6-7 >x'],
  ],
  [
    'a write that nobody confirmed is there to stay',
    ['a: 0-1 =x', 'a: 2-3 =y?', 'b: 6-7 >y', 'b: 8-9 ~y'],
  ],
  [
    'a write of which nothing is known comes late',
    ['a: 0-1 =x?', 'b: 2-3 =y', 'b: 4-5 >y', 'b: 6-7 >x'],
  ],
  ['two writes at once come in either order', ['a: 0-9 =x', 'b: 0-9 =y', 'c: 10-11 >x']],
  [
    'a read during a write sees what was before',
    ['a: 0-1 =x', 'a: 2-9 =y', 'b: 3-4 ~x', 'b: 5-6 >x'],
  ],
];

for (const [what, lines] of fine) {
  histories(`fine: ${what}`, () => assert.equal(register(...lines), []));
}

const faulty: readonly (readonly [what: string, lines: readonly string[], fault: RegExp])[] = [
  [
    'a confirmed write is lost',
    ['a: 0-1 =x', 'a: 2-3 =y', 'b: 4-5 >x'],
    /x was read by b, though y/,
  ],
  ['and so it is by a read without more', ['a: 0-1 =x', 'a: 2-3 =y', 'b: 4-5 ~x'], /though y/],
  ['nothing is left', ['a: 0-1 =x', 'b: 4-5 ~'], /nothing was read by b, though x/],
  ['a value of nobody', ['a: 0-1 =x', 'b: 4-5 ~z'], /z was read, and written by nobody/],
  [
    'a value that was refused',
    ['a: 0-1 =x', 'a: 2-3 =y!', 'b: 4-5 ~y'],
    /y was read, and had been refused/,
  ],
  [
    'a write is undone that a confirmed read has seen',
    ['a: 0-1 =x', 'a: 2-3 =y?', 'b: 4-5 >y', 'c: 6-7 >x'],
    /no order/,
  ],
  [
    'two readers see two writes in opposite orders',
    ['a: 0-9 =x', 'b: 0-9 =y', 'c: 1-2 >x', 'c: 3-4 >y', 'c: 5-6 >x'],
    /no order/,
  ],
];

for (const [what, lines, fault] of faulty) {
  histories(`found: ${what}`, () => assert.match(register(...lines).join('\n'), fault));
}

histories('sets: lost members, and members that nobody has written, are found', () => {
  const sets = new SetHistory();
  sets.note('s', 'kept', 'confirmed');
  sets.note('s', 'lost', 'confirmed');
  sets.note('s', 'seen', 'perhaps');
  sets.note('s', 'unseen', 'perhaps');
  sets.note('s', 'refused', 'refused');
  assert.equal(sets.faults('s', new Set(['kept', 'lost', 'seen'])), []);
  assert.equal(sets.faults('s', new Set(['kept', 'seen', 'refused', 'other'])), [
    's: lost is lost',
    's: refused is there, and was refused',
    's: other was written by nobody',
  ]);
});

/** `n1 g1 e5 0-1`: a node, its group and epoch, and when it took a write. */
function ownership(moves: number, ...lines: readonly string[]): string[] {
  const history = new OwnershipHistory();
  for (const line of lines) {
    const [node, group, epoch, span] = line.split(' ') as [string, string, string, string];
    const [calledAt, returnedAt] = span.split('-').map(Number) as [number, number];
    const place = { node, group, epoch: Number(epoch.slice(1)), slot: 's' };
    history.note({ ...place, calledAt, returnedAt });
  }
  return history.faults(() => moves);
}

histories('ownership: one primary after another is fine', () => {
  assert.equal(ownership(0, 'n1 g1 e1 0-1', 'n1 g1 e1 2-5', 'n2 g1 e2 4-6', 'n1 g1 e3 7-8'), []);
});

histories('ownership: a primary that takes writes behind its successor is found', () => {
  const lines = ['n1 g1 e1 0-1', 'n2 g1 e2 2-3', 'n1 g1 e1 4-5'];
  assert.match(ownership(0, ...lines).join(), /n1 took a write in epoch 1 at 4.0, and n2 had/);
  assert.match(ownership(0, 'n1 g1 e1 0-1', 'n2 g1 e1 2-3').join(), /epoch 1 has n1 and n2/);
});

histories('ownership: a slot is in several groups no more often than it was moved', () => {
  const lines = ['n1 g1 e1 0-1', 'n3 g2 e2 2-4', 'n1 g1 e1 3-5', 'n1 g1 e1 6-7'];
  assert.equal(ownership(2, ...lines), []);
  assert.match(ownership(1, ...lines).join(), /went 2 times from group to group in 1 moves/);
  assert.equal(ownership(1, 'n1 g1 e1 0-1', 'n3 g2 e2 2-4', 'n1 g1 e1 1-5'), []);
});

histories('ownership: the first write since a moment is told', () => {
  const history = new OwnershipHistory();
  const place = { node: 'n', group: 'g', epoch: 1, slot: 's' };
  history.note({ ...place, calledAt: 1, returnedAt: 5 });
  history.note({ ...place, calledAt: 4, returnedAt: 8 });
  history.note({ ...place, calledAt: 5, returnedAt: 7 });
  assert.is(history.firstSince('g', 2), 7);
  assert.is(history.firstSince('h', 2), undefined);
});

histories.run();
