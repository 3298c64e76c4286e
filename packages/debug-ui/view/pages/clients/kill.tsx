/** Disconnects clients, after a question that names them. */

import type { JSX } from 'preact';
import type { ClientEntry } from '../../../model/api.ts';
import { visible } from '../../../model/escape.ts';
import { counted } from '../../../model/format.ts';
import { post } from '../../browser.ts';
import { Confirm } from '../../parts.tsx';

/** Clients of one request: as many as the server accepts. */
const IDS_MAX = 1_000;

/** Disconnects clients, and returns what was done. */
export async function killClients(victims: readonly ClientEntry[]): Promise<string> {
  const [first] = victims;
  if (victims.length === 1 && first !== undefined) {
    await post('/debug/api/clients/kill', { id: first.id });
    return `Client #${first.id} (${first.addr}) disconnected.`;
  }
  let killed = 0;
  for (let at = 0; at < victims.length; at += IDS_MAX) {
    const ids = victims.slice(at, at + IDS_MAX).map(({ id }) => id);
    killed += (await post<{ killed: number }>('/debug/api/clients/kill', { ids })).killed;
  }
  return `${counted(killed, 'client')} disconnected.`;
}

interface ConfirmKillProps {
  readonly victims: readonly ClientEntry[];
  readonly confirm: () => void;
  readonly close: () => void;
}

export function ConfirmKill({ victims, confirm, close }: ConfirmKillProps): JSX.Element {
  const [first] = victims;
  const isOne = victims.length === 1 && first !== undefined;
  return (
    <Confirm
      title={
        isOne
          ? `Disconnect client #${first.id}?`
          : `Disconnect ${counted(victims.length, 'client')}?`
      }
      action="Disconnect"
      confirm={confirm}
      close={close}
    >
      {isOne ? (
        <p>
          <code>{visible(first.addr)}</code>{' '}
          {first.name !== '' && <b class="mono">{visible(first.name)}</b>}
        </p>
      ) : (
        <Special victims={victims} />
      )}
      <p>
        {isOne
          ? 'Its connection is closed immediately; its pending commands get no reply.'
          : 'Their connections are closed immediately; their pending commands get no reply.'}
      </p>
    </Confirm>
  );
}

/** Clients among the filtered ones that are more than clients. */
function Special({ victims }: Pick<ConfirmKillProps, 'victims'>): JSX.Element | null {
  const having = (letter: string): number =>
    victims.filter(({ flags }) => flags.includes(letter)).length;
  const parts = [
    [having('S'), 'replica'],
    [having('M'), 'link to the primary', 'links to the primary'],
    [having('O'), 'monitor'],
    [having('P'), 'subscriber'],
  ] as const;
  const texts = parts
    .filter(([number]) => number > 0)
    .map(([number, noun, plural]) => counted(number, noun, plural));
  if (texts.length === 0) return null;
  return <p class="issue warn">Among them: {texts.join(', ')}.</p>;
}
