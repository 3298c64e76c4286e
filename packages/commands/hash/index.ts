import type { Command } from '../definition/definition.ts';
import { hashCounting } from './count.ts';
import { fieldExpiry } from './field-expire.ts';
import { fieldLifetimes } from './field-ttl.ts';
import { hashReading } from './get.ts';
import { fieldOptions } from './get-and-expire.ts';
import { hashDrawing } from './random.ts';
import { hashRemoval } from './remove.ts';
import { hashScanning } from './scan.ts';
import { hashWriting } from './set.ts';
import { wholeHashes } from './whole.ts';

export const hashCommands: readonly Command[] = [
  ...hashWriting,
  ...hashReading,
  ...wholeHashes,
  ...hashRemoval,
  ...hashCounting,
  ...hashDrawing,
  ...hashScanning,
  ...fieldExpiry,
  ...fieldLifetimes,
  ...fieldOptions,
];
