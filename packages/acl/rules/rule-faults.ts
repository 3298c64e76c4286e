/** Faults of rules, with the words of Redis 7.4. */

const RULE_FAULTS = {
  unknown: 'Unknown command or category name in ACL',
  syntax: 'Syntax error',
  keysBehindAll:
    "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not have any effect. Try 'resetkeys' to start with an empty list of patterns",
  channelsBehindAll:
    "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and does not have any effect. Try 'resetchannels' to start with an empty list of channels",
  noSuchPassword: 'The password you are trying to remove from the user does not exist',
  hashMalformed:
    'The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters',
  partOfSubcommand: 'Allowing first-arg of a subcommand is not supported',
} as const;

type RuleFault = keyof typeof RULE_FAULTS;

/** A rule that cannot be applied. */
export class RuleError extends Error {
  override readonly name = 'RuleError';
  readonly fault: RuleFault;

  constructor(fault: RuleFault) {
    super(RULE_FAULTS[fault]);
    this.fault = fault;
  }
}
