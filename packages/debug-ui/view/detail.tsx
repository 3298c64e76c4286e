/** Panel about one selected row, beside or below its table. It takes the focus, and Esc closes it. */

import { useEffect, useRef } from 'preact/hooks';
import type { ComponentChildren, JSX } from 'preact';
import { Panel } from './parts.tsx';

interface DetailProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Figure beside the title. */
  readonly aside?: string;
  readonly close: () => void;
}

export function Detail({ title, children, aside, close }: DetailProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.focus({ preventScroll: true });
    place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div
      ref={place}
      class="detail"
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
      }}
    >
      <Panel
        title={title}
        aside={
          <>
            {aside}
            <button type="button" onClick={close}>
              Close
            </button>
          </>
        }
      >
        {children}
      </Panel>
    </div>
  );
}
