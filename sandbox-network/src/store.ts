import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { SQLInputValue, StatementSync } from 'node:sqlite'
import type { Account } from './accounts.ts'
import type { Fault, FaultPlan, Match } from './faults.ts'
import type { Post } from './posts.ts'

const SCHEMA_VERSION = 2

const SCHEMA = `
create table account (
  id             text primary key,
  handle         text not null unique collate nocase,
  display_name   text not null,
  profile        text not null check (profile in ('short', 'professional')),
  max_characters integer not null check (max_characters > 0),
  idempotency    text not null check (idempotency in ('none', 'key')),
  token_hash     text not null unique,
  revoked        integer not null default 0,
  authorized_seconds integer check (authorized_seconds > 0),  -- for how long each token is accepted; null for ever
  authorized_until   integer  -- from when the token is not accepted, in milliseconds; null for never
) strict;

create table post (
  id          integer primary key,  -- microseconds of creation, made unique: ids sort by time
  account_id  text not null references account,
  text        text not null,
  in_reply_to integer references post,
  media_ids   text not null default '[]',
  created_at  integer not null,
  visible_at  integer not null,
  fails       integer not null default 0
) strict;
create index post_by_account on post (account_id, id);
create index post_by_parent on post (in_reply_to) where in_reply_to is not null;

create table media (
  id           text primary key,
  account_id   text not null references account,
  content_type text not null,
  alt_text     text not null,
  bytes        blob not null
) strict;

create table idempotency_key (
  account_id text not null references account,
  key        text not null,
  post_id    integer not null references post,
  used_at    integer not null,
  primary key (account_id, key)
) strict;

create table rehearsal (
  account_id  text not null references account,
  text        text not null,
  in_reply_to integer not null,  -- 0 for a post that is no reply
  played      integer not null,
  primary key (account_id, text, in_reply_to)
) strict;

create table fault_plan (
  id    integer primary key autoincrement,
  match text not null,
  fault text not null,
  times integer,  -- null for always
  fired integer not null default 0
) strict;

pragma user_version = ${SCHEMA_VERSION};
`

/** What turns the schema of each former version into the next one. */
const upgrades: Readonly<Record<number, string>> = {
  1: `
    alter table account add column authorized_seconds integer check (authorized_seconds > 0);
    alter table account add column authorized_until integer;
    pragma user_version = 2;`,
}

const ACCOUNT_COLUMNS = `
  id, handle, display_name as displayName, profile, max_characters as maxCharacters, idempotency, revoked,
  authorized_seconds as authorizedSeconds, authorized_until as authorizedUntilMs`

const POST_COLUMNS = `
  post.id, post.account_id as accountId, account.handle, account.display_name as displayName, post.text,
  post.in_reply_to as inReplyTo, post.media_ids as mediaIds, post.created_at as createdAtMs,
  post.visible_at as visibleAtMs, post.fails`

const VISIBLE = 'post.visible_at <= :nowMs and post.fails = 0'

/** How many posts above and below a post its thread shows. */
const THREAD_LIMIT = 200

export type NewPost = {
  accountId: string
  text: string
  inReplyTo: number | null
  mediaIds: readonly string[]
  createdAtMs: number
  visibleAtMs: number
  fails: boolean
}
export type StoredCreate = { accountId: string; text: string; inReplyTo: string | null; count: number }
export type Medium = {
  id: string
  accountId: string
  contentType: string
  altText: string
  bytes: Uint8Array
}
export type Paging = {
  limit: number
  sinceId?: number | null
  beforeId?: number | null
  accountId?: string | null
}

export type Store = ReturnType<typeof openStore>

/**
 * Opens the one database of the network, in `dataDir` or, for null, in memory.
 * A write that returned survives the death of the process. Throws when another process has it open.
 */
export function openStore(dataDir: string | null) {
  const path = dataDir === null ? ':memory:' : privateFile(dataDir)
  const db = new DatabaseSync(path, { timeout: 5000 })
  lockDatabase(db)
  prepareSchema(db)

  const accountById = db.prepare(`select ${ACCOUNT_COLUMNS} from account where id = ?`)
  const accountByToken = db.prepare(`select ${ACCOUNT_COLUMNS} from account where token_hash = ?`)
  const accountByHandle = db.prepare(`select ${ACCOUNT_COLUMNS} from account where handle = ?`)
  const allAccounts = db.prepare(`select ${ACCOUNT_COLUMNS} from account order by handle`)
  const insertAccount = db.prepare(`
    insert into account (id, handle, display_name, profile, max_characters, idempotency, token_hash,
                         authorized_seconds, authorized_until)
    values (:id, :handle, :displayName, :profile, :maxCharacters, :idempotency, :tokenHash,
            :authorizedSeconds, :authorizedUntilMs)
    on     conflict (handle) do nothing`)
  const updateRevoked = db.prepare('update account set revoked = ? where id = ?')
  const updateToken = db.prepare('update account set token_hash = ?, authorized_until = ? where id = ?')

  const insertPost = db.prepare(`
    insert into post (id, account_id, text, in_reply_to, media_ids, created_at, visible_at, fails)
    values (:id, :accountId, :text, :inReplyTo, :mediaIds, :createdAtMs, :visibleAtMs, :fails)`)
  const postById = db.prepare(`
    select ${POST_COLUMNS} from post join account on account.id = post.account_id where post.id = ?`)
  const newestPosts = db.prepare(`
    select ${POST_COLUMNS}
    from   post join account on account.id = post.account_id
    where  ${VISIBLE} and post.id > :sinceId and post.id < :beforeId
    order  by post.id desc
    limit  :limit`)
  const newestPostsOfAccount = db.prepare(`
    select ${POST_COLUMNS}
    from   post join account on account.id = post.account_id
    where  post.account_id = :accountId and ${VISIBLE} and post.id > :sinceId and post.id < :beforeId
    order  by post.id desc
    limit  :limit`)
  const ancestors = db.prepare(`
    with recursive above (id, parent) as (
      select id, in_reply_to from post where id = :id
      union all
      select post.id, post.in_reply_to from post join above on post.id = above.parent limit ${THREAD_LIMIT + 1}
    )
    select ${POST_COLUMNS}
    from   above join post on post.id = above.id join account on account.id = post.account_id
    where  post.id <> :id and ${VISIBLE}
    order  by post.id`)
  const descendants = db.prepare(`
    with recursive below (id) as (
      select id from post where in_reply_to = :id
      union all
      select post.id from post join below on post.in_reply_to = below.id limit ${THREAD_LIMIT}
    )
    select ${POST_COLUMNS}
    from   below join post on post.id = below.id join account on account.id = post.account_id
    where  ${VISIBLE}
    order  by post.id`)
  const replyCount = db.prepare(`
    select count(*) as count from post where in_reply_to = :id and ${VISIBLE}`)
  const postCount = db.prepare(`
    select count(*) as count from post where account_id = :accountId and ${VISIBLE}`)

  const keyUse = db.prepare(`
    select post_id as postId from idempotency_key where account_id = ? and key = ? and used_at > ?`)
  const rememberKey = db.prepare(`
    insert into idempotency_key (account_id, key, post_id, used_at)
    values (:accountId, :key, :postId, :usedAtMs)
    on     conflict do update set post_id = excluded.post_id, used_at = excluded.used_at`)

  const played = db.prepare(
    'select played from rehearsal where account_id = ? and text = ? and in_reply_to = ?',
  )
  const play = db.prepare(`
    insert into rehearsal (account_id, text, in_reply_to, played)
    values (?, ?, ?, 1)
    on     conflict do update set played = played + 1`)

  const insertMedium = db.prepare(`
    insert into media (id, account_id, content_type, alt_text, bytes)
    values (:id, :accountId, :contentType, :altText, :bytes)`)
  const mediumFacts = db.prepare(`
    select id, account_id as accountId, content_type as contentType, alt_text as altText from media where id = ?`)
  const mediumById = db.prepare(`
    select id, account_id as accountId, content_type as contentType, alt_text as altText, bytes
    from   media where id = ?`)

  const createCounts = db.prepare(`
    select account_id as accountId, text, in_reply_to as inReplyTo, count(*) as count
    from   post
    where  (:accountId is null or account_id = :accountId) and (:text is null or text = :text)
    group  by account_id, text, in_reply_to
    having count(*) >= :atLeast
    order  by min(id)`)

  const allPlans = db.prepare('select id, match, fault, times, fired from fault_plan order by id')
  const insertPlan = db.prepare('insert into fault_plan (match, fault, times) values (?, ?, ?)')
  const firePlan = db.prepare('update fault_plan set fired = fired + 1 where id = ?')
  const deletePlan = db.prepare('delete from fault_plan where id = ?')
  const deleteAllPlans = db.prepare('delete from fault_plan')

  let plans = allPlans.all().map(planOf)
  let lastPostId = (db.prepare('select coalesce(max(id), 0) as id from post').get() as { id: number }).id

  function posts(statement: StatementSync, values: Record<string, SQLInputValue>): Post[] {
    return statement.all(values).map(postOf)
  }

  function countOf(statement: StatementSync, values: Record<string, SQLInputValue>): number {
    return (statement.get(values) as { count: number }).count
  }

  function addPostUnderKey(
    row: { id: number; accountId: string; createdAtMs: number } & Record<string, SQLInputValue>,
    key: string,
  ): void {
    db.exec('begin immediate')
    try {
      insertPost.run(row)
      rememberKey.run({ accountId: row.accountId, key, postId: row.id, usedAtMs: row.createdAtMs })
      db.exec('commit')
    } catch (error) {
      db.exec('rollback')
      throw error
    }
  }

  function reloadPlans(): void {
    plans = allPlans.all().map(planOf)
  }

  return {
    accountById: (id: string) => accountOf(accountById.get(id)),
    accountByTokenHash: (tokenHash: string) => accountOf(accountByToken.get(tokenHash)),
    accountByHandle: (handle: string) => accountOf(accountByHandle.get(handle)),
    accounts: (): Account[] => allAccounts.all().flatMap((row) => accountOf(row) ?? []),

    /** False when the handle is taken, in any letter case. */
    addAccount(account: Omit<Account, 'revoked'>, tokenHash: string): boolean {
      return insertAccount.run({ ...account, tokenHash }).changes === 1
    },
    setRevoked(accountId: string, revoked: boolean): void {
      updateRevoked.run(revoked ? 1 : 0, accountId)
    },
    replaceToken(accountId: string, tokenHash: string, authorizedUntilMs: number | null): void {
      updateToken.run(tokenHash, authorizedUntilMs, accountId)
    },

    /** Stores a post, and with it the idempotency key under which it may be asked for again. */
    addPost(post: NewPost, idempotencyKey: string | null): number {
      // Sixteen digits until the year 2286, below 2^53, and never twice, even if the clock goes back.
      const id = Math.max(lastPostId + 1, post.createdAtMs * 1000)
      const row = { ...post, id, fails: post.fails ? 1 : 0, mediaIds: JSON.stringify(post.mediaIds) }
      if (idempotencyKey === null) insertPost.run(row)
      else addPostUnderKey(row, idempotencyKey)
      lastPostId = id
      return id
    },
    /** The post first stored under the key since the time given. */
    postUnderKey(accountId: string, key: string, sinceMs: number): Post | null {
      const use = keyUse.get(accountId, key, sinceMs) as { postId: number } | undefined
      return use === undefined ? null : postOf(postById.get(use.postId))
    },
    /** A post whatever its status. */
    postById(id: number): Post | null {
      const row = postById.get(id)
      return row === undefined ? null : postOf(row)
    },
    /** Public posts, newest first, of one account or of all. Both bounds are exclusive. */
    newestPosts(nowMs: number, { limit, sinceId, beforeId, accountId }: Paging): Post[] {
      const bounds = { nowMs, limit, sinceId: sinceId ?? 0, beforeId: beforeId ?? Number.MAX_SAFE_INTEGER }
      return accountId == null
        ? posts(newestPosts, bounds)
        : posts(newestPostsOfAccount, { ...bounds, accountId })
    },
    /** The public posts that a post answers, oldest first. */
    ancestorsOf: (id: number, nowMs: number) => posts(ancestors, { id, nowMs }),
    /** The public answers to a post and their answers, oldest first. */
    descendantsOf: (id: number, nowMs: number) => posts(descendants, { id, nowMs }),
    replyCount: (id: number, nowMs: number) => countOf(replyCount, { id, nowMs }),
    postCount: (accountId: string, nowMs: number) => countOf(postCount, { accountId, nowMs }),

    /** How many directives of this text have already had their turn. */
    directivesPlayed(accountId: string, text: string, inReplyTo: number | null): number {
      return (played.get(accountId, text, inReplyTo ?? 0) as { played: number } | undefined)?.played ?? 0
    },
    playDirective(accountId: string, text: string, inReplyTo: number | null): void {
      play.run(accountId, text, inReplyTo ?? 0)
    },

    addMedium(medium: Medium): void {
      insertMedium.run(medium)
    },
    /** An image without its bytes. */
    mediumFacts: (id: string) => (mediumFacts.get(id) as Omit<Medium, 'bytes'> | undefined) ?? null,
    mediumById: (id: string) => (mediumById.get(id) as Medium | undefined) ?? null,

    /** Every stored create, whatever became of it, counted by account, exact text and parent. */
    countCreates(filter: { accountId?: string; text?: string; atLeast: number }): StoredCreate[] {
      const rows = createCounts.all({
        accountId: filter.accountId ?? null,
        text: filter.text ?? null,
        atLeast: filter.atLeast,
      }) as (Omit<StoredCreate, 'inReplyTo'> & { inReplyTo: number | null })[]
      return rows.map((row) => ({ ...row, inReplyTo: row.inReplyTo === null ? null : String(row.inReplyTo) }))
    },

    faultPlans: (): readonly FaultPlan[] => plans,
    addFaultPlan({
      match,
      fault,
      times,
    }: Pick<FaultPlan, 'match' | 'fault' | 'times'>): FaultPlan | undefined {
      insertPlan.run(JSON.stringify(match), JSON.stringify(fault), times === 'always' ? null : times)
      reloadPlans()
      return plans.at(-1)
    },
    firePlan(id: string): void {
      firePlan.run(Number(id))
      reloadPlans()
    },
    /** False when there is no such plan. */
    removeFaultPlan(id: string): boolean {
      const { changes } = deletePlan.run(Number(id))
      reloadPlans()
      return changes === 1
    },
    removeFaultPlans(): void {
      deleteAllPlans.run()
      reloadPlans()
    },

    /** Forgets posts, media, keys, faults and rehearsals; accounts too when asked. */
    reset({ accounts }: { accounts: boolean }): void {
      db.exec(`
        begin immediate;
        delete from idempotency_key;
        delete from rehearsal;
        delete from fault_plan;
        delete from media;
        update post set in_reply_to = null where in_reply_to is not null;
        delete from post;
        ${accounts ? 'delete from account;' : ''}
        commit`)
      reloadPlans()
    },
    close(): void {
      db.close()
    },
  }
}

/** The path of the database, in a file that only this user can read: it holds the hashes of tokens. */
function privateFile(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const path = join(dataDir, 'network.sqlite')
  // SQLite gives its journals the mode of the database.
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
  return path
}

/** One process owns the file: ids are handed out in memory. Locked before WAL, which then needs no shared memory. */
function lockDatabase(db: DatabaseSync): void {
  try {
    db.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = normal')
  } catch (cause) {
    db.close()
    throw new Error('The data cannot be opened; another process may have them open.', { cause })
  }
}

function prepareSchema(db: DatabaseSync): void {
  const { user_version: found } = db.prepare('pragma user_version').get() as { user_version: number }
  if (found === 0) {
    db.exec(`begin immediate; ${SCHEMA} commit`)
    return
  }
  for (let version = found; version !== SCHEMA_VERSION; version += 1) {
    const upgrade = upgrades[version]
    if (upgrade === undefined) throw new Error(`The data were written by another version (${found}).`)
    db.exec(`begin immediate; ${upgrade} commit`)
  }
}

type Row = Record<string, unknown> | undefined

function accountOf(row: Row): Account | null {
  return row === undefined ? null : ({ ...row, revoked: row['revoked'] === 1 } as Account)
}

function postOf(row: Row): Post {
  return { ...row, fails: row?.['fails'] === 1, mediaIds: JSON.parse(String(row?.['mediaIds'])) } as Post
}

type PlanRow = { id: number; match: string; fault: string; times: number | null; fired: number }

function planOf(row: Row): FaultPlan {
  const { id, match, fault, times, fired } = row as PlanRow
  return {
    id: String(id),
    match: JSON.parse(match) as Match,
    fault: JSON.parse(fault) as Fault,
    times: times ?? 'always',
    fired,
  }
}
