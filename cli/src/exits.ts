/** What the exit code of a command says. Documented in docs/cli.md. */
export const exits = {
  done: 0,
  /** It could not be done: the server refused it, or a post ended as something else than published. */
  failed: 1,
  /** The command line, or a plan, was not understood. Nothing was asked of the server, or nothing was changed there. */
  usage: 2,
  /** There is no login, or the server does not take it, or it may not do this. */
  credential: 3,
  notFound: 4,
  /** It may have happened: no answer came, or a post is being checked. The same command with the same key finds out. */
  unknown: 5,
  /** The server was not reached, or could not work now; nothing happened. */
  unavailable: 6,
} as const

export type Exit = (typeof exits)[keyof typeof exits]

/** What a command ends with when it could not do what was asked. */
export class CliError extends Error {
  readonly exit: Exit
  /** For programs, beside the message. */
  readonly facts: object

  constructor(exit: Exit, message: string, facts: object = {}) {
    super(message)
    this.name = 'CliError'
    this.exit = exit
    this.facts = facts
  }
}

export function usageError(message: string): CliError {
  return new CliError(exits.usage, message)
}
