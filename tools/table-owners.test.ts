import { describe, expect, test } from 'vitest'
import { accessesOf } from './sql-tables.ts'
import { type Exceptions, readOwners, tableFaults } from './table-owners.ts'

const RULE = `-- ${'-'.repeat(60)}`

/** A schema of three rooms: posts may import channels, and queue neither. */
const schema = `-- What it is.
${RULE}
-- Channels
-- owner: channels
${RULE}

create table channel (id uuid primary key);
${RULE}
-- Posts, and their drafts
-- owner: posts
${RULE}
create table post (id uuid primary key, channel uuid references channel);
${RULE}
-- Queue
-- owner: queue
${RULE}
create unlogged table job (id uuid);
`
const none: Exceptions = { sharedWrites: {}, sharedReads: {}, namesFromCode: {} }
const { owners } = readOwners([{ name: '0001_tables.sql', text: schema }])
const mayImport = (room: string, owner: string) => room === 'posts' && owner === 'channels'

/** What is refused of a file with this code, without its place. */
function faultsOf(file: string, code: string, exceptions: Partial<Exceptions> = {}): string[] {
  const accesses = accessesOf(file, code, new Set(owners.keys()))
  return tableFaults(new Map([[file, accesses]]), owners, mayImport, { ...none, ...exceptions }).map(
    (fault) => fault.replace(/^\S+: /, ''),
  )
}

const POSTS_WRITE = ['only posts writes post']

test('a heading names the owner of the tables below it', () => {
  expect([...owners]).toEqual([
    ['channel', 'channels'],
    ['post', 'posts'],
    ['job', 'queue'],
  ])
})

test('a table without an owner is refused', () => {
  const { faults } = readOwners([{ name: '0002_more.sql', text: 'create table extra (id uuid);' }])
  expect(faults).toEqual(['0002_more.sql: no heading above extra names its owner'])
  const ended = `${schema}${RULE}\n-- Plans\n${RULE}\ncreate table extra (id uuid);`
  expect(readOwners([{ name: 'a', text: ended }]).faults).toEqual([
    'a: no heading above extra names its owner',
  ])
})

test('a function in the schema writes the tables of its owner', () => {
  const faultsOfBody = (body: string) =>
    readOwners([
      { name: 'a', text: `${schema}create function go() returns trigger as $$\nbegin\n  ${body};\nend $$;` },
    ]).faults
  expect(faultsOfBody('insert into job (id) select id from post')).toEqual([])
  expect(faultsOfBody('update post p set id = null')).toEqual([
    'a: a function of queue writes post, which posts owns',
  ])
})

describe('a write from elsewhere', () => {
  test.each([
    ['an insert', 'sql`insert into post (id) values (${id})`'],
    ['an update', 'sql`update post p set id = ${id} where p.id = ${id}`'],
    ['an update over lines', 'tx<Row[]>`\n  update only\n    post\n  set id = 1`'],
    ['a deletion', 'sql`delete from post where id = ${id}`'],
    ['a deletion in capitals', 'sql`DELETE FROM "post"`'],
    ['a truncation of several', 'sql`truncate channel, post`'],
    ['a merge', 'sql`merge into post using (values (1)) v on true when matched then do nothing`'],
    ['a lock on the table', 'sql`lock table post in exclusive mode`'],
    [
      'one in a common table expression',
      'sql`with gone as (delete from post returning id) select from gone`',
    ],
    ['a piece', 'const moved = (sql: Sql) => sql`update post set id = ${1}`'],
    ['a piece in a statement', 'sql`with x as (${sql`insert into post values (1)`}) select`'],
    ['a script', "tx.script('truncate post; analyze')"],
    ['a script that is put together', 'tx.script(`delete from post where id = ${id}`)'],
    ['another owner by name', "sealedColumn({ name: 'draft', table: 'post' })"],
  ])('is refused: %s', (_, code) => {
    expect(faultsOf('elsewhere/some-store.ts', code).filter((fault) => !fault.startsWith('reads'))).toContain(
      POSTS_WRITE[0],
    )
    expect(faultsOf('posts/some-store.ts', code)).not.toContain(POSTS_WRITE[0])
  })

  test('is refused to the composition, too', () => {
    expect(faultsOf('app.ts', 'sql`update post set id = 1`')).toEqual(POSTS_WRITE)
  })

  test('passes where it is declared, of the declared table alone', () => {
    const code = 'sql`with a as (delete from post) delete from channel`'
    const sharedWrites = { 'queue/settle-store.ts': { tables: ['post'], because: 'one statement' } }
    expect(faultsOf('queue/settle-store.ts', code, { sharedWrites })).toEqual([
      'only channels writes channel',
    ])
    expect(faultsOf('queue/settle-store.ts', code)).toHaveLength(2)
  })
})

describe('a read', () => {
  const NO_READ = 'reads post of posts, which queue may not import'

  test.each([
    ['from', 'sql`select 1 from post`'],
    ['join', 'sql`select from job left join lateral (select from post) p on true`'],
    ['a list', 'sql`select from job j, unnest(array[1, 2]) u, post p where true`'],
    ['using', 'sql`delete from job using post where true`'],
    ['a query in a query', 'sql`select exists (select from post where id = 1)`'],
    ['the beginning of a piece', 'sql`post p join job on true`'],
    ['after a comment', 'sql`select -- from channel\n from /* the */ post`'],
  ])('is refused where the owner may not be imported: %s', (_, code) => {
    expect(faultsOf('queue/some-store.ts', code)).toEqual([NO_READ])
  })

  test('passes where the room may import the owner, or is its own, or is declared by file or room', () => {
    expect(faultsOf('posts/some-store.ts', 'sql`select from channel join post on true`')).toEqual([])
    const declared = { tables: ['post'], because: 'shows it' }
    for (const place of ['queue', 'queue/some-store.ts'])
      expect(
        faultsOf('queue/some-store.ts', 'sql`select from post`', { sharedReads: { [place]: declared } }),
      ).toEqual([])
    const all = { sharedReads: { queue: { tables: 'all' as const, because: 'only reads' } } }
    expect(faultsOf('queue/some-store.ts', 'sql`select from post`', all)).toEqual([])
    expect(faultsOf('queue/some-store.ts', 'sql`delete from post`', all)).toContain(POSTS_WRITE[0])
  })

  test.each([
    [
      'columns and functions',
      'sql`select post.id, extract(epoch from p.at), a is distinct from post from job post`',
    ],
    ['what is written of in a value', "sql`select 'delete from post' from job`"],
    ['a clause', 'sql`insert into job values (1) on conflict do update set id = 1`'],
    ['a lock on rows', 'sql`select from job for no key update of job skip locked`'],
    ['HTML and plain words', 'html`<p>from post</p>`; say("It was deleted from post, update post.")'],
    ['comments of the code', '// sql`delete from post`\n/* sql`delete from post` */'],
  ])('is not seen in %s', (_, code) => {
    expect(faultsOf('queue/some-store.ts', code)).toEqual([])
  })
})

test('a common table expression may not be taken for a table', () => {
  const code = 'sql`with post as materialized (select from job) select from job`'
  expect(faultsOf('queue/some-store.ts', code)).toEqual([
    'a common table expression has the name of the table post',
  ])
})

test('a name that code puts in is refused unless it is declared', () => {
  for (const code of [
    'sql`select from ${sql(name)}`',
    'tx`update ${tx(name)} set a = 1`',
    'tx`delete from ${it}`',
  ]) {
    expect(faultsOf('queue/copy.ts', code)).toEqual(['code puts the name of a table into the statement'])
    expect(faultsOf('queue/copy.ts', code, { namesFromCode: { 'queue/copy.ts': 'copies all' } })).toEqual([])
  }
})

test('an exception that nothing needs is refused', () => {
  const because = 'was needed once'
  const exceptions = {
    sharedWrites: { 'queue/a.ts': { tables: ['post', 'channel'], because } },
    sharedReads: { posts: { tables: 'all' as const, because } },
    namesFromCode: { 'queue/b.ts': because },
  }
  expect(faultsOf('queue/a.ts', 'sql`delete from post`', exceptions)).toEqual([
    'nothing needs the exception sharedWrites queue/a.ts channel any more',
    'nothing needs the exception sharedReads posts all any more',
    'nothing needs the exception namesFromCode queue/b.ts any more',
  ])
})
