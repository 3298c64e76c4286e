export {
  CommandParser,
  ParsedCommand,
  ParseStatus,
  type CommandBytes,
  type ParserLimits,
} from './command-parser.ts';
export { growMemory, OwnedReply } from './owned-reply.ts';
export { ReplyWriter, type Protocol } from './reply-writer.ts';
