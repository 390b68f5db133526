import type { Situation } from './situation-store.ts'

/** What some process has to do all the time, and after how many seconds without a trace of it none does. */
export const roles = {
  publisher: { silentSeconds: 60 },
  webhooks: { silentSeconds: 60 },
  // One mail to a slow server takes minutes.
  mail: { silentSeconds: 600 },
  // Once an hour.
  housekeeping: { silentSeconds: 3 * 3_600 },
} as const

export type MonitoredRole = keyof typeof roles

export type RoleState = {
  readonly role: MonitoredRole
  /** Seconds since its last heartbeat in any process; null for never. */
  readonly age: number | null
  readonly alive: boolean
}

/** The roles that this installation needs, each with its last heartbeat. */
export function rolesOf(
  { workers, activity }: Pick<Situation, 'workers' | 'activity'>,
  { sendsMail }: { sendsMail: boolean },
): RoleState[] {
  const names = (Object.keys(roles) as MonitoredRole[]).filter((role) => role !== 'mail' || sendsMail)
  return names.map((role) => {
    const ages =
      role === 'publisher'
        ? workers.flatMap((worker) => (worker.roles.includes(role) ? [worker.heartbeatAgeMs / 1_000] : []))
        : activity.flatMap(({ part, ageSeconds }) => (part === role ? [ageSeconds] : []))
    const age = ages.length === 0 ? null : Math.max(0, Math.min(...ages))
    return { role, age, alive: age !== null && age <= roles[role].silentSeconds }
  })
}
