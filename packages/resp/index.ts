export {
  CommandParser,
  ParsedCommand,
  ParseStatus,
  type CommandBytes,
  type ParserLimits,
} from './command-parser.ts';
export { doubleMemory, OwnedReply, ReplyWriter, type Protocol } from './reply-writer.ts';
