import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** A control group of Linux whose processes together get so much memory. */
export type MemoryGroup = AsyncDisposable & {
  /** The line of shell that puts its process, and what that starts, into the group. */
  readonly enter: string
}

const [V1, V2] = ['/sys/fs/cgroup/memory', '/sys/fs/cgroup']

/** Null where this user may make none, as in most containers. */
export function openMemoryGroup(bytes: number): MemoryGroup | null {
  const isV2 = existsSync(`${V2}/cgroup.controllers`)
  const folder = `${isV2 ? V2 : V1}/postrider-${process.pid}-${Date.now()}`
  const enter = `echo $$ >${folder}/cgroup.procs`
  try {
    mkdirSync(folder)
  } catch {
    return null
  }
  try {
    writeFileSync(`${folder}/${isV2 ? 'memory.max' : 'memory.limit_in_bytes'}`, String(bytes))
    if (isV2) writeFileSync(`${folder}/memory.swap.max`, '0')
    execFileSync('sh', ['-c', enter], { stdio: 'ignore' })
  } catch {
    rmdirSync(folder)
    return null
  }
  return {
    enter,
    async [Symbol.asyncDispose]() {
      // Processes leave the group when they have ended, a moment after they were killed.
      while (readFileSync(`${folder}/cgroup.procs`, 'utf8') !== '') {
        execFileSync('sh', ['-c', `kill -KILL $(cat ${folder}/cgroup.procs) 2>/dev/null || true`])
        await delay(50)
      }
      rmdirSync(folder)
    },
  }
}
