import type { Access } from './sql-tables.ts'
import { tablesNamed } from './sql-tables.ts'

/*
 * Each table has one owner: the room (a folder of server/src) that the heading above it in server/migrations names. Only its
 * owner writes it. A room reads the tables of the rooms that it may import, as a whole; a lock on a row counts as a read. What
 * else is read or written stands here, with its reason.
 */

/** Statements that write tables of several owners, by file: as one, they hold or fail together and take one round trip. */
export const sharedWrites: Record<string, Exception> = {
  'engine/destinations/destination-store.ts': {
    tables: ['channel_queue'],
    because: 'what is due at a time has its channel looked at by then, by the statement that inserts it',
  },
  'people/sign-in/link/connect-links-store.ts': {
    tables: ['connect_flow'],
    because: 'links to connect an account end with the sign-in of who made them',
  },
  'engine/outbox/outbox-store.ts': {
    tables: ['delivery'],
    because: 'an event is owed to the endpoints that want it by the statement that records it',
  },
  'engine/queue/settle-store.ts': {
    tables: ['destination', 'part', 'channel'],
    because:
      'a settlement is one statement, of many publications at once: evidence, part, destination and channel',
  },
  'engine/queue/restored-store.ts': {
    tables: ['destination', 'part'],
    because:
      'what a restore holds gets its attempt, its part and its status by one statement, by what they were before it',
  },
}

/** Tables of rooms above that are read in the statement that needs them, by file or, of what only reads, by room. */
export const sharedReads: Record<string, Exception> = {
  'operate/monitoring': { tables: 'all', because: 'measures what waits in every room, and only reads' },
  'engine/timeline': { tables: 'all', because: 'tells what every room did to a post, and only reads' },
  'networks/channels/channel-store.ts': {
    tables: ['destination', 'workspace'],
    because:
      'a list of channels says when each published last; how late a post may be, and which links are tagged, is the workspace’s to say',
  },
  'engine/destinations/queue-moves.ts': {
    tables: ['workspace'],
    because: 'how late a post may be is the workspace’s to say',
  },
  'engine/destinations/queue-slot-store.ts': {
    tables: ['workspace'],
    because: 'posting times are in the zone of the workspace',
  },
  'engine/destinations/holds.ts': {
    tables: ['network_outage'],
    because: 'until when a channel is held is part of what a destination shows',
  },
  'engine/destinations/in-line.ts': {
    tables: ['publication'],
    because: 'what its channel publishes before it is part of what a destination shows',
  },
  'engine/destinations/in-doubt.ts': {
    tables: ['attempt'],
    because:
      'commands are judged by whether a call has no known end, in the statement that reads the destination',
  },
  'people/keys/credential-day-store.ts': {
    tables: ['post', 'approval'],
    because: 'the limits of a credential count what it has created',
  },
  'content/approvals/approval-store.ts': {
    tables: ['post'],
    because:
      'people approve fields of the content that channels share, in the statement that reads what each publishes',
  },
  'people/keys/read-limits.ts': {
    tables: ['channel'],
    because: 'limits name channels, which have to be there',
  },
  'people/members/member-store.ts': {
    tables: ['agent_key'],
    because: 'a list of members says how many keys each has',
  },
  'engine/outbox/outbox-store.ts': {
    tables: ['endpoint'],
    because: 'an event is owed to the endpoints that want it by the statement that records it',
  },
  'engine/outbox/event-feed-store.ts': {
    tables: ['post_label'],
    because: 'a reader of events may be limited to the posts of a label, or ask for them',
  },
  'content/posts/media-use-store.ts': {
    tables: ['series'],
    because: 'a file that posts of a series are to carry is in use before they are made',
  },
  'engine/queue/restored-store.ts': {
    tables: ['approval'],
    because: 'a draft is held by a restore only where a person was asked about it',
  },
  'people/sign-in/ways-in-store.ts': {
    tables: ['agent_key', 'oauth_grant'],
    because: 'who recovers an account is told how many credentials act in their name',
  },
  'engine/webhooks/endpoint-right.ts': {
    tables: ['agent_key', 'oauth_grant', 'member'],
    because: 'what an endpoint gets is what its owner may read when it is sent',
  },
  'engine/webhooks/endpoint-store.ts': {
    tables: ['workspace'],
    because: 'the lock on a workspace has those wait who add endpoints at once',
  },
}

/** Files that put the names of tables into their statements. */
export const namesFromCode: Record<string, string> = {
  'operate/backup/backup-store.ts': 'a backup copies every table that there is, and a restore fills it',
  'operate/workspaces/workspace-store.ts':
    'a workspace has rows in many tables, which go with it to another installation or are deleted with it',
  'platform/sealing/sealed-kind.ts':
    'the owner of a sealed column names its table, in the list that secrets are re-sealed by',
}

export type Exception = { readonly tables: readonly string[] | 'all'; readonly because: string }

export type Exceptions = {
  readonly sharedWrites: Readonly<Record<string, Exception>>
  readonly sharedReads: Readonly<Record<string, Exception>>
  readonly namesFromCode: Readonly<Record<string, string>>
}

const HEADING = /^-- owner: (\S+)$/

/** Tables by name, each with its owner; and what is wrong in the schema itself, whose functions write like any other code. */
export function readOwners(schemas: readonly { readonly name: string; readonly text: string }[]): {
  readonly owners: ReadonlyMap<string, string>
  readonly faults: readonly string[]
} {
  const sections = schemas.flatMap(({ name, text }) =>
    sectionsOf(text).map((section) => ({ name, ...section })),
  )
  const owners = new Map<string, string>()
  const faults: string[] = []
  for (const { name, owner, text } of sections) {
    for (const [, table = ''] of text.matchAll(/^create (?:unlogged )?table (?:if not exists )?(\w+)/gm)) {
      if (owner === null) faults.push(`${name}: no heading above ${table} names its owner`)
      else owners.set(table, owner)
    }
  }
  const tables = new Set(owners.keys())
  for (const { name, owner, text } of sections) {
    if (owner === null) continue
    for (const { table, does } of tablesNamed(text, tables)) {
      if (does === 'writes' && table !== null && owners.get(table) !== owner)
        faults.push(`${name}: a function of ${owner} writes ${table}, which ${owners.get(table)} owns`)
    }
  }
  return { owners, faults }
}

/** A heading stands between two rules. One without an owner ends what belongs to the owner before it. */
function sectionsOf(schema: string): { owner: string | null; text: string }[] {
  return schema.split(/^-- -{20,}\n(?=(?:-- .*\n)+-- -{20,}$)/m).map((text) => {
    const heading = text.slice(0, text.search(/^-- -{20,}$/m)).split('\n')
    const owner = heading.map((line) => HEADING.exec(line)?.[1]).find((found) => found !== undefined)
    return { owner: owner ?? null, text }
  })
}

/**
 * What the accesses of the files below server/src, by their paths in it, do against the rules, and which exceptions nothing
 * needs any more. `mayImport` says of which other rooms a room may import everything.
 */
export function tableFaults(
  accesses: ReadonlyMap<string, readonly Access[]>,
  owners: ReadonlyMap<string, string>,
  mayImport: (room: string, owner: string) => boolean,
  exceptions: Exceptions = { sharedWrites, sharedReads, namesFromCode },
): string[] {
  const used = new Set<string>()
  const isExcepted = (kind: 'sharedWrites' | 'sharedReads', place: string, table: string) => {
    const exception = exceptions[kind][place]
    if (exception === undefined || (exception.tables !== 'all' && !exception.tables.includes(table)))
      return false
    used.add(`${kind} ${place} ${exception.tables === 'all' ? 'all' : table}`)
    return true
  }
  const faultOf = (file: string, { table, does, line }: Access): string[] => {
    const at = `${file}:${line}`
    const room = file.split('/').slice(0, -1).slice(0, 2).join('/')
    if (table === null) {
      used.add(`namesFromCode ${file}`)
      return exceptions.namesFromCode[file] === undefined
        ? [`${at}: code puts the name of a table into the statement`]
        : []
    }
    const owner = owners.get(table) ?? ''
    if (does === 'hides') return [`${at}: a common table expression has the name of the table ${table}`]
    if (owner === room || file.startsWith(`${owner}/`) || isExcepted('sharedWrites', file, table)) return []
    if (does === 'writes') return [`${at}: only ${owner} writes ${table}`]
    if (mayImport(room, owner)) return []
    if (isExcepted('sharedReads', file, table) || isExcepted('sharedReads', room, table)) return []
    return [`${at}: reads ${table} of ${owner}, which ${room || 'it'} may not import`]
  }
  const faults = [...accesses].flatMap(([file, list]) => list.flatMap((access) => faultOf(file, access)))
  return [...new Set(faults), ...unused(exceptions, used)]
}

function unused(exceptions: Exceptions, used: ReadonlySet<string>): string[] {
  const declared = [
    ...(['sharedWrites', 'sharedReads'] as const).flatMap((kind) =>
      Object.entries(exceptions[kind]).flatMap(([place, { tables }]) =>
        (tables === 'all' ? ['all'] : tables).map((table) => `${kind} ${place} ${table}`),
      ),
    ),
    ...Object.keys(exceptions.namesFromCode).map((file) => `namesFromCode ${file}`),
  ]
  return declared
    .filter((exception) => !used.has(exception))
    .map((exception) => `tools/table-owners.ts: nothing needs the exception ${exception} any more`)
}
