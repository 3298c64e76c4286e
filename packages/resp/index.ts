export { commandBytes } from './command-bytes.ts';
export { CommandParser, ParseStatus, type ParserLimits } from './command-parser.ts';
export { ParsedCommand, type CommandBytes } from './parsed-command.ts';
export { growMemory, OwnedReply } from './owned-reply.ts';
export { ReplyWriter, type Protocol } from './reply-writer.ts';
export { LineReader } from './line-reader.ts';
export { ReplyCounter } from './reply-counter.ts';
export { MalformedReply, ReplyParser } from './reply-parser.ts';
export { ReplyError, ReplyValues, type Reply } from './reply-values.ts';
