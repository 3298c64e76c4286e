/** A composition is checked by the compiler: a line below that it had to refuse and does not is an error of the build. */
import { Arguments, commandTable } from '#commands';
import type { OwnedReply } from '#resp';
import type { Client } from '#router';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Composed, Composition } from './composition.ts';
import { MainModule } from './main-module.ts';
import { Modules } from './modules.ts';

const composing = suite('composition of main');

const client = { id: 1 } as unknown as Client;
const NO_ARGUMENTS = new Arguments();

/** A module that counts commands by their first letter: in a port, a section of INFO and an answer for the ops thread. */
function lettersModule(): Composed<{ readonly letters: ReadonlyMap<string, number> }, 'status'> {
  const letters = new Map<string, number>();
  const module = new MainModule({
    name: 'letters',
    judges: {
      client: {
        judge: (_client, { lowerName }) => {
          const letter = lowerName.charAt(0);
          letters.set(letter, (letters.get(letter) ?? 0) + 1);
          return undefined;
        },
      },
    },
    ports: { status: { json: () => JSON.stringify(Object.fromEntries(letters)) } },
    info: { name: 'Letters', shownBy: 'none', lines: () => [...letters] },
  });
  return { module, parts: { letters } };
}

function nowModule(): Composed<object, 'nowMs' | 'databaseCount', 'shards'> {
  let calls = 0;
  const module = new MainModule({
    name: 'now',
    ports: {
      get nowMs() {
        calls += 1;
        return calls;
      },
      databaseCount: 16,
    },
    answers: { shards: () => [null] },
  });
  return { module, parts: {} };
}

/** Contributes an answer that another module contributes too. */
function shardsModule(): Composed<object, never, 'shards'> {
  return { module: new MainModule({ name: 'shards', answers: { shards: () => [] } }), parts: {} };
}

composing('a module is one line, and what it contributes is where it belongs', () => {
  const modules = new Modules();
  const { letters } = endOf(new Composition({ modules }).add(lettersModule).add(nowModule));
  for (const name of ['GET', 'PING', 'PUBLISH']) {
    modules.gate.judge(client, commandTable.byName(name)!, NO_ARGUMENTS);
  }
  assert.equal(
    [...letters],
    [
      ['g', 1],
      ['p', 2],
    ],
  );
  assert.equal(modules.info[0]?.lines(), [...letters]);
  const handlers = modules.handlers as unknown as { status: { json(): string }; nowMs: number };
  assert.is(handlers.status.json(), '{"g":1,"p":2}');
  assert.is(handlers.nowMs, 1);
  assert.is(handlers.nowMs, 2, 'a getter is asked each time');
  assert.equal(Object.keys(modules.answers), ['shards']);
});

composing('a step has what the steps before it have made', () => {
  const kernel = { modules: new Modules() };
  const made = new Composition(kernel).with(() => ({ first: 1 }));
  const { second } = endOf(made.with(({ first }) => ({ second: first + 1 })));
  assert.is(second, 2);
  // @ts-expect-error -- a part that is made later
  const early = () => new Composition(kernel).with((made: { first: number }) => made);
  assert.type(early, 'function');
});

composing('the compiler finds what is missing or contributed twice', () => {
  const one = new Composition({ modules: new Modules() }).add(lettersModule);
  // @ts-expect-error -- a port of two modules
  one.add(lettersModule);
  // @ts-expect-error -- ports and answers of others are missing
  one.end();
  const now = one.add(nowModule);
  // @ts-expect-error -- an answer of two modules
  now.add(shardsModule);
  class Alike {
    readonly name = 'alike';
    endTurn(): void {
      assert.unreachable('members of a class are no hooks');
    }
  }
  // @ts-expect-error -- a class is no module by the names of its members
  const add = () => new Modules().add(new Alike());
  assert.type(add, 'function');
});

composing('a command of main runs with the ports of all modules', () => {
  const modules = new Modules();
  const done: string[] = [];
  const reply = { simple: (text: string) => done.push(text) } as unknown as OwnedReply;
  const resetClient = () => done.push(`reset ${modules.handlers.client.id}`);
  modules.add(new MainModule({ name: 'session', ports: { resetClient } }));
  modules.runCommand(client, commandTable.byName('RESET')!, NO_ARGUMENTS, reply);
  assert.equal(done, ['reset 1', 'RESET']);
});

/** The parts of a composition that is not complete. */
function endOf<Made extends { readonly modules: Modules }>(
  composition: Pick<Composition<Made>, 'end'>,
): Made {
  const end = composition.end.bind(composition) as unknown as () => Made;
  return end();
}

composing.run();
