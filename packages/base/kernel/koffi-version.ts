/** Presence of the optional package that calls the C library. */

/** Returns its version. Rejects where it is not installed, or has no binary for this platform. */
export async function koffiVersion(): Promise<string> {
  const { default: koffi } = await import('koffi');
  return koffi.version;
}
