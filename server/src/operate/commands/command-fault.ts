/** A command that cannot do what it was asked; the message says why, and what to do. Exit code 1. */
export class CommandFault extends Error {
  override name = 'CommandFault'
}

/** A command line that is not understood. Exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** Settings that are not sound: one sentence in each line. Exit code 1. */
export class ConfigFault extends Error {
  override name = 'ConfigFault'
}
