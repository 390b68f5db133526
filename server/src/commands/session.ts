import { Option } from 'commander'
import type { Config } from '../config/config.ts'
import { type Database, MIGRATIONS, openDatabase } from '../platform/database.ts'
import { findMember, findOwner, type Member } from '../members/member-store.ts'
import { listWorkspaces, type Workspace } from '../members/workspace-store.ts'
import type { Db } from '../platform/db.ts'
import { migrate, schemaStatus } from '../platform/migrate.ts'
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
  const status = await schemaStatus(db, MIGRATIONS)
  if (status === 'current' || status === 'newer') return
  throw new CommandFault(
    status === 'behind'
      ? 'The database has an older schema than this release. Run `postrider migrate`, or start the server, which does so.'
      : 'The database was written by a newer release, which this one cannot work with. Use that release, or a newer one.',
  )
}

/** The option that names a workspace, as it was typed. */
export type InWorkspace = { workspace?: string }

/** What a command in a workspace works with. */
export type Place = Database & { settings: Config; workspace: Workspace; workspaceId: string }

/** Lends a command the database and the workspace that it acts in, chosen as by `chooseWorkspace`. */
export async function inWorkspace<T>(
  config: () => Promise<Config>,
  { workspace: named }: InWorkspace,
  run: (place: Place) => Promise<T>,
  holder?: (db: Db) => Promise<string | null>,
): Promise<T> {
  const settings = await config()
  return withDatabase(settings, async (database) => {
    const workspace = await chooseWorkspace(database.db, named, holder && (() => holder(database.db)))
    return run({ ...database, settings, workspace, workspaceId: workspace.workspaceId })
  })
}

/** The option of commands that act in a workspace. */
export function workspaceOption(): Option {
  return new Option('--workspace <id or name>', 'not needed when there is only one').env(
    'POSTRIDER_WORKSPACE',
  )
}

/** The option of commands about one thing, whose id tells the workspace. */
export function knownWorkspaceOption(): Option {
  return new Option('--workspace <id or name>', 'not needed: the id tells it')
}

/**
 * The workspace named by its id or, when there is exactly one of that name, by its name. For undefined it is the one that
 * `holder` gives, which has what the command is about, or the only one there is.
 */
async function chooseWorkspace(
  db: Db,
  named: string | undefined,
  holder: () => Promise<string | null> = async () => null,
): Promise<Workspace> {
  const wanted = named ?? (await holder()) ?? undefined
  const workspaces = await listWorkspaces(db)
  if (workspaces.length === 0) {
    throw new CommandFault(
      'There is no workspace yet. Start the server once, or run `postrider workspace create`.',
    )
  }
  const fitting = workspaces.filter(
    ({ workspaceId, name }) =>
      wanted === undefined || wanted.toLowerCase() === workspaceId || wanted === name,
  )
  const [workspace, ...others] = fitting
  if (workspace === undefined) {
    throw new CommandFault(`There is no workspace "${wanted}". \`postrider workspace list\` shows them.`)
  }
  if (others.length > 0) {
    const why =
      wanted === undefined
        ? `There are ${fitting.length} workspaces`
        : `${fitting.length} workspaces have that name`
    throw new UsageError(
      `${why}: give --workspace <id> or set POSTRIDER_WORKSPACE, as \`postrider workspace list\` shows it.`,
    )
  }
  return workspace
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
