/**
 * Subscribing and unsubscribing. What is confirmed is a push and no reply: CLIENT REPLY OFF does not
 * silence it, and there is one for each name.
 */

import { CommandError } from '#base';
import type { ReplyWriter } from '#resp';
import type { ClientPort } from '../contexts/contexts.ts';
import { onMain, type CommandHead, type OnMainCommand } from '../definition/definition.ts';
import { noKeys, type Keys } from '../definition/keys.ts';
import type { PubSubContext } from './ports.ts';
import type { SubscriptionKind } from '../contexts/subscriptions.ts';

/** A transaction owes one reply for each command. Redis lets the other ways of subscribing be as they always were. */
const noShardChannel = new CommandError("ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client");

const shardChannels: Keys = {
  specs: [
    {
      begin: { index: 1 },
      find: { last: -1, step: 1, limit: 0 },
      access: 'RO',
      notKey: true,
    },
  ],
};

interface Form {
  name: string;
  summary: string;
  since: string;
  kind: SubscriptionKind;
  /** First word of confirmations. */
  word: string;
}

function argumentOf(kind: SubscriptionKind): CommandHead['args'][number] {
  if (kind === 'pattern') return { name: 'pattern', type: 'pattern', multiple: true };
  return { name: kind.toLowerCase(), type: 'string', multiple: true };
}

function headOf({
  name,
  summary,
  since,
  kind,
}: Form): Omit<CommandHead, 'arity' | 'complexity' | 'args'> {
  return {
    name,
    summary,
    since,
    group: 'pubsub',
    flags: ['pubsub', 'noscript', 'loading', 'stale'],
    keys: kind === 'shardChannel' ? shardChannels : noKeys,
  };
}

function subscribing(form: Form): OnMainCommand {
  const { kind, word } = form;
  return onMain<PubSubContext>({
    ...headOf(form),
    complexity: 'O(N), N being the number of names.',
    arity: -2,
    channels: kind === 'pattern' ? 'patterns' : 'all',
    args: [argumentOf(kind)],
    run(context, args) {
      const { pubsub, client, mayBlock } = context;
      if (kind === 'shardChannel' && !mayBlock) throw noShardChannel;
      const names = args.texts();
      answer(context, (writer) => {
        for (const name of names) {
          pubsub.subscribe(client, kind, name);
          confirm(writer, word, name, countOf(client, kind));
        }
      });
    },
  });
}

function unsubscribing(form: Form): OnMainCommand {
  const { kind, word } = form;
  return onMain<PubSubContext>({
    ...headOf(form),
    complexity: 'O(N), N being the number of names.',
    arity: -1,
    args: [{ ...argumentOf(kind), optional: true }],
    run(context, args) {
      const { pubsub, client } = context;
      const names = args.more ? args.texts() : [...(client.roles.subscriptions?.[kind] ?? [])];
      answer(context, (writer) => {
        for (const name of names) {
          pubsub.unsubscribe(client, kind, name);
          confirm(writer, word, name, countOf(client, kind));
        }
        // A client without subscriptions gets a confirmation, too.
        if (names.length === 0) confirm(writer, word, null, countOf(client, kind));
      });
    },
  });
}

/** Confirmations are no replies, which CLIENT REPLY could suppress; but in a transaction they stand in its reply. */
function answer(
  { pubsub, client, reply, mayBlock }: PubSubContext,
  write: (writer: ReplyWriter) => void,
): void {
  if (mayBlock) pubsub.push(client, write);
  else write(reply);
}

function countOf(client: ClientPort, kind: SubscriptionKind): number {
  return client.roles.subscriptions?.countBeside(kind) ?? 0;
}

function confirm(writer: ReplyWriter, word: string, name: string | null, count: number): void {
  writer.pushHeader(3);
  writer.text(word);
  if (name === null) writer.nil();
  else writer.text(name, 'latin1');
  writer.integer(count);
}

export const subscribeCommands = [
  subscribing({
    name: 'SUBSCRIBE',
    summary: 'Subscribes to channels.',
    since: '2.0.0',
    kind: 'channel',
    word: 'subscribe',
  }),
  subscribing({
    name: 'PSUBSCRIBE',
    summary: 'Subscribes to all channels that match patterns.',
    since: '2.0.0',
    kind: 'pattern',
    word: 'psubscribe',
  }),
  subscribing({
    name: 'SSUBSCRIBE',
    summary: 'Subscribes to shard channels.',
    since: '7.0.0',
    kind: 'shardChannel',
    word: 'ssubscribe',
  }),
  unsubscribing({
    name: 'UNSUBSCRIBE',
    summary: 'Unsubscribes from channels.',
    since: '2.0.0',
    kind: 'channel',
    word: 'unsubscribe',
  }),
  unsubscribing({
    name: 'PUNSUBSCRIBE',
    summary: 'Unsubscribes from patterns of channels.',
    since: '2.0.0',
    kind: 'pattern',
    word: 'punsubscribe',
  }),
  unsubscribing({
    name: 'SUNSUBSCRIBE',
    summary: 'Unsubscribes from shard channels.',
    since: '7.0.0',
    kind: 'shardChannel',
    word: 'sunsubscribe',
  }),
];
