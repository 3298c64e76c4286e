/** Request that starts a monitor, from the fields of the form. */

/** Returns the body of the request; a field without text does not narrow the filter. */
export function monitorRequest(field: (name: string) => string): object {
  const text = (name: string): string | null => {
    const typed = field(name).trim();
    return typed === '' ? null : typed;
  };
  const db = text('db');
  const source = text('source');
  return {
    filter: {
      commands: field('commands')
        .split(/[\s,]+/)
        .filter((name) => name !== ''),
      // A key may begin or end with a space.
      key: field('key') === '' ? null : field('key'),
      client: text('client'),
      user: text('user'),
      db: db === null ? null : Number(db),
      sources: source === null ? [] : [source],
    },
    lines_per_sec: Number(field('lines')),
  };
}
