/** The data folder is made, or it is said in words why it cannot be had. */

import fs from 'node:fs';
import path from 'node:path';
import { makeFolders } from '#base';
import { DataFolderError } from './data-folder.ts';

/** Throws a DataFolderError where the folder is not there. */
export function demandFolder(folder: string): void {
  if (fs.existsSync(folder)) return;
  throw new DataFolderError(`the data folder ${path.resolve(folder)} is not there`);
}

/** Words for a folder in errors: its name, and the option or setting that says where it is. */
interface FolderWords {
  readonly name: string;
  readonly option: string;
}

const DATA_FOLDER: FolderWords = { name: 'data folder', option: '--data-dir' };

/** Makes the data folder, or another; throws a DataFolderError when it cannot be had. */
export function makeFolder(folder: string, { name, option } = DATA_FOLDER): void {
  try {
    makeFolders(folder);
    fs.accessSync(folder, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
  } catch (error) {
    throw new DataFolderError(
      `the ${name} ${path.resolve(folder)} cannot be used: ${reasonOf(error)}; choose another with ${option}`,
    );
  }
}

/** Throws a DataFolderError when a start could not have the folder; what is made to find out is removed again. */
export function demandUsableFolder(folder: string): void {
  const missing: string[] = [];
  for (let at = path.resolve(folder); !fs.existsSync(at); at = path.dirname(at)) missing.push(at);
  try {
    makeFolder(folder);
  } finally {
    for (const made of missing.filter((each) => fs.existsSync(each))) fs.rmdirSync(made);
  }
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'EEXIST':
      return 'it is a file';
    case 'ENOTDIR':
      return 'its parent is a file';
    case 'ENOENT':
      return 'no folders can be created in its parent';
    case 'EACCES':
    case 'EPERM':
      return 'this user has no write permission';
    case 'EROFS':
      return 'the file system is read-only';
    case 'ENOSPC':
      return 'the disk is full';
    default:
      return code ?? String(error);
  }
}
