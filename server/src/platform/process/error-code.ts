/** The SQLSTATE (`42P04`), system code (`ECONNREFUSED`) or Node code of what was thrown, if it has one. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
