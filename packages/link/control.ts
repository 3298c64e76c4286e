/** Messages that are rare: encoded by msgpackr, never on the path of a command. */

import { pack, unpack } from 'msgpackr';
import type { Bytes } from '#base';

/** What every shard is told, in order with the commands. */
export type Control =
  | { kind: 'settings'; values: Record<string, SettingValue> }
  | { kind: 'reset-statistics' }
  /** CLIENT PAUSE: nothing may change, not even by itself. */
  | { kind: 'pause'; isOn: boolean }
  /** Whether anybody tracks keys. */
  | { kind: 'tracking'; isOn: boolean }
  | { kind: 'stop' };

export type SettingValue = string | number | boolean | readonly (string | number)[];

/** A private copy: msgpackr's result is a view into its own pool. */
export function encodeControl(message: Control): Bytes {
  return Uint8Array.from(pack(message));
}

/** Throws when the bytes are not a message. */
export function decodeControl(bytes: Bytes): Control {
  return unpack(bytes) as Control;
}
