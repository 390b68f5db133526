import { Option } from 'commander'
import type { Config } from '../../platform/config/config.ts'
import { type Database, MIGRATIONS, openDatabase } from '../../platform/embedded-postgres/database.ts'
import { findMember, findOwner, type Member } from '../../people/members/member-store.ts'
import { chooseWorkspace, isChosen } from '../../people/members/choose-workspace.ts'
import type { Workspace } from '../../people/members/workspace-store.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { checkSchema, migrate, schemaSentence } from '../../platform/postgres/migrate.ts'
import { CommandFault, UsageError } from './command-fault.ts'

/**
 * Lends the database to a command, whether the server runs or not. The embedded one is brought to this release's
 * schema on the way; one of the user's own is not, since a look at it must not change it. For the same reason none is
 * made where there is none, unless the command `creates`.
 */
export async function withDatabase<T>(
  config: Config,
  run: (database: Database) => Promise<T>,
  { creates = false } = {},
): Promise<T> {
  const database = await openDatabase(config, {
    applicationName: 'postrider command',
    connections: 2,
    creates,
  })
  try {
    await ensureSchema(database)
    return await run(database)
  } finally {
    await database.close()
  }
}

async function ensureSchema({ db, embedded }: Database): Promise<void> {
  if (embedded) {
    await migrate(db, MIGRATIONS)
    return
  }
  const found = await checkSchema(db, MIGRATIONS)
  if (found.status !== 'current' && found.status !== 'newer') throw new CommandFault(schemaSentence(found))
}

/** The option that names a workspace, as it was typed. */
export type InWorkspace = { workspace?: string }

/** What a command in a workspace works with. */
export type Place = Database & { settings: Config; workspace: Workspace; workspaceId: string }

/** Lends a command the database and the workspace that it acts in, chosen as by `workspaceFor`. */
export async function inWorkspace<T>(
  config: () => Promise<Config>,
  { workspace: named }: InWorkspace,
  run: (place: Place) => Promise<T>,
): Promise<T> {
  const settings = await config()
  return withDatabase(settings, async (database) => {
    const workspace = await workspaceFor(database.db, named)
    return run({ ...database, settings, workspace, workspaceId: workspace.workspaceId })
  })
}

/** The option of commands that act in a workspace. */
export function workspaceOption(): Option {
  return new Option('--workspace <id or name>', 'not needed when there is only one').env(
    'POSTRIDER_WORKSPACE',
  )
}

/** As `chooseWorkspace`, whose answer ends the command where it is none. */
async function workspaceFor(db: Db, named: string | undefined): Promise<Workspace> {
  const chosen = await chooseWorkspace(db, named ?? null)
  if (isChosen(chosen)) return chosen
  if (chosen.why === 'several') throw new UsageError(chosen.sentence)
  throw new CommandFault(chosen.sentence)
}

/** The owner in whose name the command acts. */
export async function ownerOf(db: Db, { workspaceId, name }: Workspace): Promise<Member> {
  const owner = await findOwner(db, workspaceId)
  if (owner === null) throw new CommandFault(`The workspace "${name}" has no owner.`)
  return owner
}

/** The member with this id or e-mail address, in whose name the command decides; the owner for undefined. */
export async function memberOf(db: Db, workspace: Workspace, idOrEmail: string | undefined): Promise<Member> {
  if (idOrEmail === undefined) return ownerOf(db, workspace)
  const member = await findMember(db, workspace.workspaceId, idOrEmail)
  if (member === null) {
    throw new CommandFault(`The workspace "${workspace.name}" has no member "${idOrEmail}".`)
  }
  return member
}
