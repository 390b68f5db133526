/** What a command line has of the process that it runs in. */
export type Console = {
  env: Readonly<Record<string, string | undefined>>
  /** Standard output. */
  write(text: string): void
  /** Standard error. */
  writeError(text: string): void
  /** Whether a person reads standard error. */
  isTerminal: boolean
  /** Whether a person reads standard output. */
  isOutputTerminal: boolean
  /** What has to be typed for `postrider`. */
  calledAs: string
}
