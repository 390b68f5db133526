import { type Config, readConfig } from '../../platform/config/config.ts'
import { type Role, roles } from '../../platform/config/settings.ts'
import { ConfigFault, UsageError } from './command-fault.ts'

/** The settings of the environment. Throws ConfigFault with all that is wrong with them. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Config {
  const read = readConfig(env)
  if (read.ok) return read.config
  throw new ConfigFault(read.faults.join('\n'))
}

/** The value of `--roles`. Throws UsageError on a role that does not exist. */
export function parseRoles(text: string): Role[] {
  const given = text.split(',').map((name) => name.trim())
  const unknown = given.filter((name) => !roles.some((role) => role === name))
  if (unknown.length > 0) {
    throw new UsageError(
      `--roles does not know ${unknown.map((name) => `"${name}"`).join(', ')}. Give some of ${roles.join(',')}.`,
    )
  }
  return roles.filter((role) => given.includes(role))
}
