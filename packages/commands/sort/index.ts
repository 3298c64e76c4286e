export { sortCommands } from './sort.ts';
