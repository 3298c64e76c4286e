/** Lines of CLIENT LIST. */

/** Returns the fields of each client, which are written as `name=value`. */
export function clientFields(text: string): ReadonlyMap<string, string>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map(
      (line) =>
        new Map(
          line.split(' ').map((field) => {
            const equals = field.indexOf('=');
            return [field.slice(0, equals), field.slice(equals + 1)] as const;
          }),
        ),
    );
}
