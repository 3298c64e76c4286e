export { LogWriter, type LogWriterOptions } from './log-writer.ts';
