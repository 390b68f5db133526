import type { Postrider } from '@postrider/sdk'
import type { Exit } from './exits.ts'

/** One option of a command, by its name without the dashes. */
export type Option = {
  /** What stands for its value in the help, such as `<time>`; absent for one that is given or not. */
  readonly value?: string
  readonly says: string
  readonly choices?: readonly string[]
  /** Whether it may be given several times. */
  readonly many?: true
}

export type Options = Readonly<Record<string, Option>>

/** A command, before it is loaded: what `--help` and completions need. */
export type Command = {
  readonly says: string
  /** Further sentences, for its own help. */
  readonly more?: string
  /** What follows its name, such as `<postId>` or `[text]`; the last may end in `…`. */
  readonly takes?: readonly string[]
  readonly options?: Options
  /** Whether a second run of it would do something else: then one after a lost answer goes on with the first. */
  readonly goesOn?: true
  readonly load: () => Promise<{ readonly run: Run }>
}

export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

/** What a command is given. */
export type Context = {
  readonly args: readonly string[]
  readonly values: Values
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether the answer is read by a program. */
  readonly json: boolean
  /** Names the one effect of this command: what was given as --idempotency-key, or one made for it. */
  readonly key: string
  /** Whether a run before this one may have had that key. */
  readonly repeats: boolean
  /** Aborted when the command is interrupted. */
  readonly signal: AbortSignal
  /** A client with the credential of this call. Throws where there is none. */
  client(): Postrider
  /** The address of the server that it asks. */
  address(): string
  /** Writes one value for programs, or the text for people. */
  answer(value: unknown, text: string): void
  /** Asks the person for a secret, which no option takes. */
  askSecret(prompt: string): Promise<string>
  /** Says on standard error what is going on; for programs as JSON, where they have to know it. */
  note(text: string, facts?: object): void
}

/** Runs it; without an exit code it is done. */
export type Run = (context: Context) => Promise<Exit | void>

export function textOf(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

export function textsOf(values: Values, name: string): readonly string[] {
  const value = values[name]
  return typeof value === 'string' ? [value] : Array.isArray(value) ? (value as readonly string[]) : []
}

export function isSet(values: Values, name: string): boolean {
  return values[name] === true
}
