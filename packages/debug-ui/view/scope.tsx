/** Permissions of the viewer: the viewers' token permits no changes, and the page shows why. */

import type { JSX } from 'preact';
import type { Session } from '../model/api.ts';
import { usePolled, type Polled } from './source.ts';

const REASON =
  'You are logged in with http.viewer-token, which is read-only: this action needs http.token.';

/** Asked for once: it stays as it is for as long as the page does. */
export function useSession(): Polled<Session> {
  return usePolled<Session>('/debug/api/session', 0);
}

/** Returns why the one who looks may change nothing; undefined when he may. */
export function useReadOnlyReason(): string | undefined {
  const { data } = useSession();
  return data?.scope === 'viewer' ? REASON : undefined;
}

/** A button of something that viewers may not do. */
export function ActionButton(props: JSX.IntrinsicElements['button']): JSX.Element {
  const reason = useReadOnlyReason();
  return (
    <button
      {...props}
      disabled={props.disabled === true || reason !== undefined}
      title={reason ?? props.title}
    />
  );
}

/** Says once for a page that nothing can be changed. */
export function ReadOnlyNote(): JSX.Element | null {
  const reason = useReadOnlyReason();
  return reason === undefined ? null : <p class="issue">{reason}</p>;
}
