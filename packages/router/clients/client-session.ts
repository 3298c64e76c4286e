/** Session of a client: its identity and the state that its commands have set. RESET restores most of the defaults. */

import type { User } from '#acl';
import type { AskingSpan, ReplyMode, SessionPort, TraceParent } from '#commands';
import type { ClientSocket } from './client-socket.ts';

export class ClientSession implements SessionPort {
  database = 0;
  protocol: 2 | 3 = 2;
  replyMode: ReplyMode = 'on';
  noEvict = false;
  noTouch = false;
  readsFromReplica = false;
  peerNode: string | undefined;
  asking: AskingSpan | undefined;
  traceParent: TraceParent | undefined;
  libraryName = '';
  libraryVersion = '';
  /** Shards that know the name and the user of the client, by index. */
  readonly knownTo: boolean[] = [];
  #name = '';
  #identity: User;
  #authenticated = false;
  readonly #socket: Pick<ClientSocket, 'unauthenticated'>;

  constructor(socket: Pick<ClientSocket, 'unauthenticated'>, identity: User) {
    this.#socket = socket;
    this.#identity = identity;
  }

  get authenticated(): boolean {
    return this.#authenticated;
  }

  /** Before it has authenticated, a client may send short commands only. */
  set authenticated(value: boolean) {
    this.#authenticated = value;
    this.#socket.unauthenticated = !value;
  }

  get name(): string {
    return this.#name;
  }

  set name(value: string) {
    this.#name = value;
    this.knownTo.length = 0;
  }

  /** The user that the client has logged in as. */
  get identity(): User {
    return this.#identity;
  }

  set identity(value: User) {
    this.#identity = value;
    this.knownTo.length = 0;
  }

  /** Name of the user. */
  get user(): string {
    return this.#identity.name;
  }

  /** True when the reply of the next command is unwanted. */
  get isMuted(): boolean {
    return this.replyMode === 'off' || this.replyMode === 'skip';
  }

  /** Ends the effect of CLIENT REPLY SKIP: a command was taken. */
  endMuting(): void {
    if (this.replyMode === 'armed') this.replyMode = 'skip';
    else if (this.replyMode === 'skip') this.replyMode = 'on';
  }

  /** Sets back what RESET sets back; user and password are for the access control. */
  reset(): void {
    this.database = 0;
    this.protocol = 2;
    this.name = '';
    this.replyMode = 'on';
    this.noEvict = false;
    this.noTouch = false;
    this.readsFromReplica = false;
    this.peerNode = undefined;
    this.asking = undefined;
    this.traceParent = undefined;
  }
}
