/**
 * Node's own stream handles, without the stream around them.
 *
 * A reply written through `socket.write` costs a writable stream's whole bookkeeping, 0.9 us of the
 * 9.1 us that a command costs at pipeline 1. A handle takes bytes directly and says whether the kernel
 * took them all. These are internals of Node (stable from 16 to 24); where they are not as expected,
 * `rawWriter` is undefined and sockets are written the ordinary way.
 */

import type { Socket } from 'node:net';
import type { Bytes } from '#base';

/** The part of a TCP or pipe handle that we use. */
export interface RawHandle {
  readStart(): number;
  readStop(): number;
  close(): void;
  writeBuffer(request: WriteRequest, bytes: Bytes): number;
  writev(request: WriteRequest, chunks: readonly Bytes[], allBuffers: true): number;
  readonly fd?: number;
  /** Bytes that the kernel has not taken yet. */
  readonly writeQueueSize: number;
}

export interface WriteRequest {
  oncomplete?: (status: number) => void;
  /** Bytes being written; Node itself keeps no hold of them. */
  chunks?: readonly Bytes[];
}

interface StreamWrapBinding {
  WriteWrap: new () => WriteRequest;
  streamBaseState: Int32Array;
  kLastWriteWasAsync: number;
}

type ProcessWithBinding = typeof process & { binding?: (name: string) => unknown };

export interface RawWriter {
  request(): WriteRequest;
  /** True when the last write on any handle still needs its request. */
  wasAsync(): boolean;
}

function findBinding(): RawWriter | undefined {
  let binding: Partial<StreamWrapBinding>;
  try {
    const found = (process as ProcessWithBinding).binding?.('stream_wrap');
    binding = found ?? {};
  } catch {
    return undefined;
  }
  const { WriteWrap, streamBaseState, kLastWriteWasAsync } = binding;
  if (WriteWrap === undefined || streamBaseState === undefined) return undefined;
  if (typeof kLastWriteWasAsync !== 'number') return undefined;
  return {
    request: () => new WriteWrap(),
    wasAsync: () => streamBaseState[kLastWriteWasAsync] !== 0,
  };
}

export const rawWriter = findBinding();

/** The handle under a socket, where it has the methods we need. */
export function rawHandleOf(socket: Socket): RawHandle | undefined {
  const handle = (socket as unknown as { _handle?: Partial<RawHandle> | null })._handle;
  if (handle === null || handle === undefined) return undefined;
  const complete =
    typeof handle.readStart === 'function' &&
    typeof handle.readStop === 'function' &&
    typeof handle.close === 'function' &&
    typeof handle.writeBuffer === 'function' &&
    typeof handle.writev === 'function';
  return complete ? (handle as RawHandle) : undefined;
}

/** Returns the file descriptor of a socket; -1 if unknown. */
export function descriptorOf(socket: Socket): number {
  return rawHandleOf(socket)?.fd ?? -1;
}

/** The accepted socket under a secured one; itself where there is none. */
export function acceptedSocketOf(socket: Socket): Socket {
  return (socket as unknown as { _parent?: Socket | null })._parent ?? socket;
}

/** Takes the handle out of an accepted socket, which is then only an empty shell. */
export function detachHandle(socket: Socket): object | undefined {
  const owner = socket as unknown as { _handle: object | null };
  const handle = owner._handle;
  if (handle === null) return undefined;
  owner._handle = null;
  socket.destroy();
  return handle;
}
