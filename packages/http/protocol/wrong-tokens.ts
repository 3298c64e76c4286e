/**
 * Slows down guesses of the token, per address that they come from.
 *
 * Each wrong one costs its address some time, for which the answer waits. An address that sends more without waiting
 * soon gets 429 for each. The right token is let in all the same: others may send wrong ones from the same address.
 */

import { isIPv6 } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogFields } from '#base';
import { HttpError } from './answer.ts';

/** Debt that a wrong token adds to an address. */
const COST_MS = 250;
/** Most debt of an address. */
const DEBT_MS_MAX = 8 * COST_MS;
/** Addresses that are remembered; the one that has not guessed for longest is forgotten first. */
const ADDRESSES_MAX = 1_024;
/** Between two lines of the log. */
const QUIET_MS = 1_000;
/** Groups of an IPv6 address that belong to one customer: 64 bits. */
const NETWORK_GROUPS = 4;

interface WrongTokensOptions {
  nowMs(): number;
  log(message: string, fields: LogFields): void;
}

export class WrongTokens {
  readonly #options: WrongTokensOptions;
  /** Times at which addresses owe nothing any more, in the order of the last guess. */
  readonly #clearMs = new Map<string, number>();
  #loggedMs = -Infinity;
  #unlogged = 0;

  constructor(options: WrongTokensOptions) {
    this.#options = options;
  }

  /** Throws when the address has sent too many wrong tokens to wait for one more. */
  demandPatience(address: string): void {
    const debtMs = this.#debtMs(networkOf(address));
    if (debtMs < DEBT_MS_MAX) return;
    this.#log(address);
    const seconds = Math.max(1, Math.ceil((debtMs - DEBT_MS_MAX) / 1_000));
    throw new HttpError(429, 'too many wrong tokens', { 'Retry-After': String(seconds) });
  }

  /** Records a wrong token; resolves when the response may be sent. */
  async noted(address: string): Promise<void> {
    const network = networkOf(address);
    const debtMs = this.#debtMs(network);
    this.#clearMs.delete(network);
    if (this.#clearMs.size >= ADDRESSES_MAX) {
      const [oldest] = this.#clearMs.keys();
      if (oldest !== undefined) this.#clearMs.delete(oldest);
    }
    this.#clearMs.set(network, this.#options.nowMs() + debtMs + COST_MS);
    this.#log(address);
    if (debtMs > 0) await sleep(debtMs);
  }

  #debtMs(network: string): number {
    return Math.max(0, (this.#clearMs.get(network) ?? 0) - this.#options.nowMs());
  }

  #log(address: string): void {
    this.#unlogged += 1;
    const nowMs = this.#options.nowMs();
    if (nowMs - this.#loggedMs < QUIET_MS) return;
    const count = this.#unlogged;
    this.#loggedMs = nowMs;
    this.#unlogged = 0;
    this.#options.log(`Wrong HTTP tokens, the last from ${address}`, {
      addr: address,
      count,
    });
  }
}

/** An address, or the network of one that has addresses without number. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.toLowerCase().startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('%')[0]!.split('::');
  const groups = head === '' ? [] : head.split(':');
  const behind = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - behind.length);
  const all = [...groups, ...Array.from({ length: zeros }, () => '0'), ...behind];
  return all.slice(0, NETWORK_GROUPS).join(':');
}
