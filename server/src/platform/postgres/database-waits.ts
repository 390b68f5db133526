/** For what this process has waited in vain: a time limit, a lock, another transaction, or a connection of a pool. */
export const waitCauses = ['timeout', 'lock', 'deadlock', 'serialization', 'pool'] as const

export type WaitCause = (typeof waitCauses)[number]

/** How often, since this process began. What was done again quietly counts, too. */
export const databaseWaits: Record<WaitCause, number> = {
  timeout: 0,
  lock: 0,
  deadlock: 0,
  serialization: 0,
  pool: 0,
}
