import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { openDatabaseProxy } from '../../../test/rigs/database-proxy.ts'
import { failureOf } from '../../../test/rigs/failure-of.ts'
import { openWorld } from '../../../test/rigs/world.ts'
import { codeOf, type Db, isDatabaseAway, isUniqueViolation, openDb, type Sql, urlOf } from './db.ts'
import { addressesOf, passesOverStandbys } from './address.ts'
import { Hosts } from './hosts.ts'

/** Holds an advisory lock until it is released. */
async function held(db: Db): Promise<{ released: Promise<void>; release: () => void }> {
  const taken = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const released = db.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(1)`
    taken.resolve()
    await end.promise
  })
  await taken.promise
  return { released, release: end.resolve }
}

const time = new Date('2026-05-06T07:08:09.123Z')
const bytes = Buffer.from([0, 255, 92, 39])
const awkward = `it's "quoted" \\ {a,b} NULL 😀`

describe('values', () => {
  test('come back as the types they went in as', async () => {
    await using world = await openWorld()

    const [row] = await world.db`
      select ${awkward} as text, ${''} as empty, ${7}::int as int, ${-0}::float8 as zero, ${1.5}::float8 as float,
             ${9007199254740993n} as wide, ${'12.340'}::numeric as numeric, ${true} as yes, ${false} as no,
             ${time} as time, ${bytes} as bytes, ${new Uint8Array([1, 2])} as octets, ${null}::int as nothing,
             ${'2026-05-06'}::date as date, ${'0190b6f0-0000-7000-8000-000000000000'}::uuid as uuid`

    expect(row).toEqual({
      text: awkward,
      empty: '',
      int: 7,
      zero: 0,
      float: 1.5,
      wide: '9007199254740993',
      numeric: '12.340',
      yes: true,
      no: false,
      time,
      bytes,
      octets: Buffer.from([1, 2]),
      nothing: null,
      date: '2026-05-06',
      uuid: '0190b6f0-0000-7000-8000-000000000000',
    })
  })

  test('come back whole however long they are, beside short ones in the same batch', async () => {
    await using world = await openWorld()
    const [longText, longBytes] = ['ä😀'.repeat(100_000), Buffer.alloc(200_000, bytes)]

    const rows = await world.db.begin((tx) =>
      Promise.all([
        tx`select ${longText} as one, ${longBytes} as two, ${''} as three`,
        tx`select ${'short'} as one, ${bytes} as two, ${null}::text as three`,
      ]),
    )

    expect(rows.flat()).toEqual([
      { one: longText, two: longBytes, three: '' },
      { one: 'short', two: bytes, three: null },
    ])
  })

  test('come back in arrays, nested, empty and with nulls, as they went in', async () => {
    await using world = await openWorld()
    const { db } = world

    const [row] = await db`
      select ${[awkward, '', 'NULL', null, 'null', ' ']}::text[] as texts, ${[]}::text[] as none, ${[1, null, -3]}::int[] as ints,
             ${[
               ['a', null],
               ['"', '}'],
             ]}::text[] as nested, ${[null, time]} as times, ${[bytes, Buffer.alloc(0)]} as blobs, ${[true, false]} as flags,
             ${[9007199254740993n]} as wide, ${['1.10']}::numeric[] as numerics,
             ${[db.json({ a: '"}' }), db.json(null)]} as json, array[null::int, null] as nulls, '[2:3]={1,2}'::int[] as bounds`

    expect(row).toEqual({
      texts: [awkward, '', 'NULL', null, 'null', ' '],
      none: [],
      ints: [1, null, -3],
      nulls: [null, null],
      bounds: [1, 2],
      nested: [
        ['a', null],
        ['"', '}'],
      ],
      times: [null, time],
      blobs: [bytes, Buffer.alloc(0)],
      flags: [true, false],
      wide: ['9007199254740993'],
      numerics: ['1.10'],
      json: [{ a: '"}' }, null],
    })
  })

  test('are JSON as JSON.stringify makes it', async () => {
    await using world = await openWorld()
    const { db } = world
    const value = { text: awkward, gone: undefined, list: [undefined, -0, null], time, deep: { '': [[]] } }

    const [row] = await db`
      select ${db.json(value)} as value, ${db.json('text')} as text, ${db.json(null)}::text as nothing, ${db.json([1])}::json as list`

    expect(row).toEqual({
      value: { text: awkward, list: [null, 0, null], time: time.toISOString(), deep: { '': [[]] } },
      text: 'text',
      nothing: 'null',
      list: [1],
    })
  })

  test('of microseconds lose what a Date has no room for, and keep their zone', async () => {
    await using world = await openWorld()

    const rows = await world.db`
      select t from unnest(array['2026-05-06 09:08:09.123999+02', '0099-01-01 00:00:00+00', '12026-01-01 00:00:00Z']::timestamptz[]) t`

    expect(rows.map((row) => (row['t'] as Date).toISOString())).toEqual([
      time.toISOString(),
      '0099-01-01T00:00:00.000Z',
      '+012026-01-01T00:00:00.000Z',
    ])
  })

  test.each<[string, (db: Db) => unknown, string]>([
    ['undefined', () => undefined, 'undefined is no value'],
    ['a plain object', () => ({ a: 1 }), 'An object is no value'],
    ['JSON of nothing', (db) => db.json(undefined), 'JSON of undefined is no value'],
    ['an invalid date', () => new Date('never'), 'An invalid date'],
    ['half a surrogate pair', () => 'a\ud83d', 'lone surrogate'],
    ['half a surrogate pair in an array', () => [['\ude00b']], 'lone surrogate'],
    ['half a surrogate pair in JSON', (db) => db.json(['\ud83d']), 'json'],
    ['a null character', () => 'a\0b', 'invalid byte sequence'],
  ])('%s is refused before anything is changed', async (_, make, words) => {
    await using world = await openWorld()
    const { db } = world
    await db`create table thing (value text)`
    const value = make(db) as string

    await expect(db`insert into thing values (${value})`).rejects.toThrow(words)
    expect(await db`select from thing`).toHaveLength(0)
  })
})

describe('statements', () => {
  test('by themselves are run again where they collide with another transaction, and not in a transaction', async () => {
    await using world = await openWorld()
    const { db } = world
    await db.script(`
      create sequence tried;
      create function collide() returns int language plpgsql as $$ begin
        if nextval('tried') % 2 = 1 then raise exception 'deadlock detected' using errcode = '40P01'; end if;
        return 1;
      end $$;`)
    expect(await db`select collide()`).toEqual([{ collide: 1 }])
    const within = db.begin((tx) => tx`select collide()`)
    expect(codeOf(await failureOf(within))).toBe('40P01')
    expect(await db`select last_value::int from tried`).toEqual([{ last_value: 3 }])
  })

  test('are put together from pieces, each with values of its own', async () => {
    await using world = await openWorld()
    const { db } = world
    await db`create table "odd ""name" as select n from generate_series(1, 10) n`
    const from = (n: number) => db`n >= ${n}`
    const both = db`${from(3)} and n < ${6}`

    const rows = await db<{ n: number }[]>`
      select n from ${db('odd "name')} where (${both}) or (${both}) or n = ${10} order by n`

    expect(rows).toEqual([{ n: 3 }, { n: 4 }, { n: 5 }, { n: 10 }])
  })

  test('say how many rows they found or changed', async () => {
    await using world = await openWorld()
    const { db } = world
    await db`create table thing (n int)`

    expect((await db`insert into thing select generate_series(1, 5)`).count).toBe(5)
    expect((await db`update thing set n = 0 where n > ${2}`).count).toBe(3)
    expect((await db`delete from thing where n = ${9}`).count).toBe(0)
    expect((await db`select from thing`).count).toBe(5)
  })

  test('run once, however often they are awaited', async () => {
    await using world = await openWorld()
    const { db } = world
    await db`create table thing (n int)`
    const insert = db`insert into thing values (1)`

    await insert
    await insert

    expect(await db`select from thing`).toHaveLength(1)
  })

  test('are prepared once for each connection', async () => {
    await using world = await openWorld()
    const db = openDb({ ...world.connection, applicationName: 'test', max: 1 })
    for (const n of [1, 2, 3]) await db`select ${n}::int as once`

    const prepared = await db`select statement from pg_prepared_statements where statement like '%as once'`

    expect(prepared).toEqual([{ statement: 'select $1::int as once' }])
    await db.end()
  })

  test('that were prepared before their table changed run all the same', async () => {
    await using world = await openWorld()
    const db = openDb({ ...world.connection, applicationName: 'test', max: 1 })
    const read = (sql: Sql) => sql`select * from thing`
    await db`create table thing as select 1 as a`
    await read(db)

    await world.db`alter table thing add b int default 2`
    expect(await read(db)).toEqual([{ a: 1, b: 2 }])
    await world.db`alter table thing add c int default 3`
    expect(await db.begin((tx) => Promise.all([tx`select 0 as first`, read(tx)]))).toEqual([
      [{ first: 0 }],
      [{ a: 1, b: 2, c: 3 }],
    ])
    await db`deallocate all`
    expect(await read(db)).toEqual([{ a: 1, b: 2, c: 3 }])
    await db.end()
  })

  test('that run too long are cancelled', async () => {
    await using world = await openWorld()
    const db = openDb({ ...world.connection, applicationName: 'test', max: 1, statementTimeoutMs: 50 })

    await expect(db`select pg_sleep(30)`).rejects.toMatchObject({ code: '57014' })
    await db.end()
  })

  test('a unique violation is told by the name of its constraint', async () => {
    await using world = await openWorld()
    await world.db`create table thing (id int constraint thing_once unique)`
    await world.db`insert into thing values (1)`

    const error = await failureOf(world.db`insert into thing values (1)`)

    expect(isUniqueViolation(error, 'thing_once')).toBe(true)
    expect(isUniqueViolation(error, 'other')).toBe(false)
    expect(isUniqueViolation(new Error('thing_once'), 'thing_once')).toBe(false)
  })
})

describe('statements that only read', () => {
  test('go out with all of their turn, each with its own rows, and a failed one takes none along', async () => {
    await using world = await openWorld()
    await using proxy = await openDatabaseProxy(world.connection)
    const db = openDb({ url: proxy.url, applicationName: 'test', max: 1 })
    const read = (n: number) => db.share('one').together('of a turn')`select 6 / ${n}::int as n`
    await read(1)
    const before = proxy.syncs

    const answers = await Promise.all([1, 2, 3].map((n) => Promise.resolve().then(() => read(n))))
    expect(answers).toEqual([[{ n: 6 }], [{ n: 3 }], [{ n: 2 }]])
    expect(proxy.syncs - before).toBe(1)

    const outcomes = await Promise.allSettled([1, 0, 2, 0, 3].map((n) => read(n)))
    expect(outcomes.map((one) => (one.status === 'fulfilled' ? one.value : codeOf(one.reason)))).toEqual([
      [{ n: 6 }],
      '22012',
      [{ n: 3 }],
      '22012',
      [{ n: 2 }],
    ])
    await db.end()
  })

  test('fail together with the connection that they went out on', async () => {
    await using world = await openWorld()
    await using proxy = await openDatabaseProxy(world.connection)
    const db = openDb({ url: proxy.url, applicationName: 'test', max: 1 })
    const together = db.together('of a turn')
    await together`select 1`

    const outcomes = Promise.allSettled([together`select pg_sleep(60)`, together`select 2`])
    await expect
      .poll(
        () => world.db`select from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'`,
      )
      .toHaveLength(1)
    proxy.cut()
    expect((await outcomes).map((one) => one.status === 'rejected' && isDatabaseAway(one.reason))).toEqual([
      true,
      true,
    ])
    await db.end()
  })
})

describe('a transaction', () => {
  test('sends what waits for nothing together, and begins with it', async () => {
    await using world = await openWorld()
    await using proxy = await openDatabaseProxy(world.connection)
    const db = openDb({ url: proxy.url, applicationName: 'test', max: 1 })
    await db`create table thing (n int)`
    const before = proxy.syncs

    await db.begin(async (tx) => {
      await Promise.all([1, 2, 3].map((n) => tx`insert into thing values (${n})`))
    })

    // Those three with their begin, and the commit.
    expect(proxy.syncs - before).toBe(2)
    expect(await db`select from thing`).toHaveLength(3)
    await db.end()
  })

  test('sends what is deferred with the commit, and commits nothing when that fails', async () => {
    await using world = await openWorld()
    const { db } = world
    await using proxy = await openDatabaseProxy(world.connection)
    const counted = openDb({ url: proxy.url, applicationName: 'test', max: 1 })
    await counted`create table kept (n int primary key)`
    const before = proxy.syncs

    const insert = (n: number) =>
      counted.begin(async (tx) => {
        await tx`select`
        tx.defer(() => tx`insert into kept values (${n})`)
        tx.defer(async () => void (await tx`insert into kept values (${n + 1})`))
        return n
      })
    expect(await insert(1)).toBe(1)
    expect(proxy.syncs - before).toBe(2)
    expect(await counted.begin(async (tx) => tx.defer(() => tx`insert into kept values (9)`))).toBeUndefined()
    expect(proxy.syncs - before).toBe(3)

    await expect(insert(8)).rejects.toMatchObject({ code: '23505' })
    // What fails beside one that cannot be made is heard, too: nothing is left to end the process.
    const unmade = counted.begin(async (tx) => {
      tx.defer(() => Promise.reject(new Error('failed')))
      tx.defer(() => {
        throw new Error('not made')
      })
    })
    await expect(unmade).rejects.toThrow('not made')
    expect(await db`select n from kept order by n`).toEqual([{ n: 1 }, { n: 2 }, { n: 9 }])
    await counted.end()
  })

  test('sends parts that are deferred as one statement, those of one name apart', async () => {
    await using world = await openWorld()
    const sent: string[] = []
    const onStatement = ({ text }: { text: string }) => void sent.push(text)
    const db = openDb({ ...world.connection, applicationName: 'test', onStatement })
    await world.db`create table kept (word text primary key)`

    const keep = (...words: string[]) =>
      db.begin(async (tx) => {
        for (const word of words)
          tx.deferPart(word[0]!, tx`${tx(word[0]!)} as (insert into kept (word) values (${word}))`)
      })
    await keep('apple', 'bear', 'almond')

    expect(sent).toEqual([
      expect.stringMatching(/^with "a" as .* "b" as .* select$/),
      expect.stringMatching(/^with "a" as/),
    ])
    expect(await db`select word from kept order by word`).toEqual([
      { word: 'almond' },
      { word: 'apple' },
      { word: 'bear' },
    ])
    await expect(keep('cherry', 'apple')).rejects.toMatchObject({ code: '23505' })
    expect(await db`select from kept`).toHaveLength(3)
    await db.end()
  })

  test('gives each of the statements that were sent together its own rows', async () => {
    await using world = await openWorld()

    const rows = await world.db.begin((tx) =>
      Promise.all([tx`select ${1}::int as n`, tx`select ${'x'} as x, 2 as n`, tx`select ${2}::int as n`]),
    )

    expect(rows).toEqual([[{ n: 1 }], [{ x: 'x', n: 2 }], [{ n: 2 }]])
  })

  test('undoes everything when its function throws', async () => {
    await using world = await openWorld()
    const { db } = world
    await db`create table thing (n int)`

    const failure = db.begin(async (tx) => {
      await tx`insert into thing values (1)`
      throw new Error('no')
    })

    await expect(failure).rejects.toThrow('no')
    expect(await db`select from thing`).toHaveLength(0)
  })

  test('in which a statement failed never reports success, even when its function swallows the error', async () => {
    await using world = await openWorld()
    const { db } = world
    await db`create table thing (n int)`

    const swallowed = db.begin(async (tx) => {
      await tx`insert into thing values (1)`
      await failureOf(tx`select 1/0`)
      return 'done'
    })

    await expect(swallowed).rejects.toMatchObject({ code: '22012' })
    expect(await db`select from thing`).toHaveLength(0)
  })

  test('whose begin fails runs nothing', async () => {
    await using world = await openWorld()
    await using proxy = await openDatabaseProxy(world.connection)
    const db = openDb({ url: proxy.url, applicationName: 'test', max: 1 })
    await db`create table thing (n int)`
    proxy.rewrite = (sent) =>
      Buffer.from(sent.toString('latin1').replace('begin\0begin', 'begin\0bogus'), 'latin1')

    const failure = db.begin((tx) =>
      Promise.all([tx`insert into thing values (1)`, tx`insert into thing values (2)`]),
    )

    await expect(failure).rejects.toThrow('bogus')
    expect(await db`select from thing`).toHaveLength(0)
    await db.end()
  })

  test('takes no statement after its end', async () => {
    await using world = await openWorld()
    const { db } = world
    const tx = await db.begin(async (tx) => ({ tx }))

    await expect(tx.tx`select 1`).rejects.toThrow('has ended')
  })

  test('that was lost with its connection is told so, and the next one works', async () => {
    await using world = await openWorld()
    const { db } = world

    const lost = await failureOf(
      db.begin(async (tx) => {
        const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
        await db`select pg_terminate_backend(${row!.pid})`
        await tx`select 1`
      }),
    )

    expect(isDatabaseAway(lost)).toBe(true)
    expect(await db.begin((tx) => tx`select 1 as n`)).toEqual([{ n: 1 }])
  })

  test('may have a time limit of its own', async () => {
    await using world = await openWorld()
    const limit = await world.db.begin((tx) => tx`select current_setting('statement_timeout') as ms`, {
      statementTimeoutMs: 1_234,
    })

    expect(limit).toEqual([{ ms: '1234ms' }])
  })
})

describe('connections', () => {
  test('are never more than allowed, and everybody gets one', async () => {
    await using world = await openWorld()
    const db = openDb({ ...world.connection, applicationName: 'three', max: 3 })

    await Promise.all(Array.from({ length: 40 }, (_, n) => db`select pg_sleep(0.005), ${n}::int`))
    const [row] = await db`select count(*)::int as n from pg_stat_activity where application_name = 'three'`

    expect(row).toEqual({ n: 3 })
    await db.end()
  })

  test.each([
    ['one by one', (db: Db) => db.share('greedy')],
    ['together', (db: Db) => db.together().share('greedy')],
    ['together by its share', (db: Db) => db.share('greedy').together()],
    ['together with others of the turn', (db: Db) => db.share('greedy').together('of a turn')],
  ])('are never all held by one share, %s, and who holds none goes before who holds some', async (_, use) => {
    await using world = await openWorld()
    const db = openDb({ ...world.connection, applicationName: 'shared', max: 4 })
    const greedy = use(db)
    const { released, release } = await held(world.db)

    const blocked: Promise<string>[] = []
    for (let n = 0; n < 20; n += 1) {
      blocked.push(greedy`select pg_advisory_xact_lock_shared(1)`.then(String))
      // What is issued in a later turn goes out by itself.
      await nextTurn()
    }
    await expect
      .poll(
        () =>
          world.db`select from pg_stat_activity where application_name = 'shared' and wait_event = 'advisory'`,
      )
      .toHaveLength(3)
    expect(await db.share('modest')`select 1 as n`).toEqual([{ n: 1 }])
    expect(await db`select 2 as n`).toEqual([{ n: 2 }])

    release()
    await released
    expect(await Promise.all(blocked)).toHaveLength(20)
    await db.end()
  })

  test('that do not answer are given up with the statement, and never used again', async () => {
    await using world = await openWorld()
    await using proxy = await openDatabaseProxy(world.connection)
    const db = openDb({ url: proxy.url, applicationName: 'test', max: 1, statementTimeoutMs: 500 })
    await db`select`
    proxy.freeze()

    const failure = await failureOf(db`select 1 as n`)
    proxy.thaw()

    expect(codeOf(failure)).toBe('QUERY_TIMEOUT')
    expect(isDatabaseAway(failure)).toBe(true)
    expect(await db`select 2 as n`).toEqual([{ n: 2 }])
    expect(proxy.connections).toBe(2)
    await db.end()
  })

  test('that are cut fail their statements, and are replaced', async () => {
    await using world = await openWorld()
    await using proxy = await openDatabaseProxy(world.connection)
    const db = openDb({ url: proxy.url, applicationName: 'test', max: 4 })
    await db`select`

    const failures = Array.from({ length: 12 }, () => failureOf(db`select pg_sleep(0.2)`))
    await expect.poll(() => proxy.connections).toBe(4)
    proxy.cut()

    const lost = (await Promise.all(failures)).filter((failure) => failure !== null)
    expect(lost.length).toBeGreaterThan(0)
    expect(lost.every((failure) => isDatabaseAway(failure))).toBe(true)
    expect(await db`select 1 as n`).toEqual([{ n: 1 }])
    await db.end()
  })

  test('that cannot be made are refused at once, and work again when the database is back', async () => {
    await using world = await openWorld()
    const proxy = await openDatabaseProxy(world.connection)
    const db = openDb({ url: proxy.url, applicationName: 'test', max: 2 })
    await proxy[Symbol.asyncDispose]()

    const failures = await Promise.all([1, 2, 3, 4, 5].map(() => failureOf(db`select`)))

    expect(failures.map(codeOf)).toEqual(Array.from({ length: 5 }, () => 'ECONNREFUSED'))
    await db.end()
  })

  test('to a server that has become read-only are not used again', async () => {
    await using world = await openWorld()
    const db = openDb({ ...world.connection, applicationName: 'test', max: 1 })
    await db`create table thing (n int)`
    await db.script('set default_transaction_read_only = on')

    const refused = await failureOf(db`insert into thing values (1)`)

    expect(isDatabaseAway(refused)).toBe(true)
    expect((await db`insert into thing values (2)`).count).toBe(1)
    await db.end()
  })

  test('with a transaction left open are not lent to the next', async () => {
    await using world = await openWorld()
    const db = openDb({ ...world.connection, applicationName: 'test', max: 1 })
    await db`create table thing (n int)`
    const reserved = await db.reserve()
    await reserved`begin`
    await reserved`insert into thing values (1)`
    reserved.release()

    expect(await db`select from thing`).toHaveLength(0)
    await db.end()
  })

  test('are all gone after the end, which takes no further work and finishes what it took', async () => {
    await using world = await openWorld()
    const db = openDb({ ...world.connection, applicationName: 'ending', max: 1 })
    const last = db`select pg_sleep(0.1)`.then((rows) => rows.count)
    const waiting = db`select`.then((rows) => rows.count)
    const ended = db.end()

    expect(codeOf(await failureOf(db`select`))).toBe('CONNECTION_ENDED')
    expect([await last, await waiting]).toEqual([1, 1])
    await ended
    await expect
      .poll(() => world.db`select from pg_stat_activity where application_name = 'ending'`)
      .toHaveLength(0)
  })
})

test('listening survives the loss of its connection, and says when it is back', async () => {
  await using world = await openWorld()
  const { db } = world
  const heard = Promise.withResolvers<string>()
  const again = Promise.withResolvers<void>()
  let times = 0
  await db.listen('news', heard.resolve, () => {
    times += 1
    if (times === 2) again.resolve()
  })

  await db`select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()`
  await again.promise
  await db.notify('news', 'after')

  expect(await heard.promise).toBe('after')
})

test('what is listened for no more is not heard', async () => {
  await using world = await openWorld()
  const { db } = world
  const heard: string[] = []
  const first = await db.listen('news', (payload) => heard.push(`first ${payload}`))
  const marked = Promise.withResolvers<string>()
  await db.listen('mark', marked.resolve)
  await db.notify('news', 'one')
  await expect.poll(() => heard).toEqual(['first one'])

  await first.unlisten()
  await db.notify('news', 'two')
  await db.notify('mark', '')
  await marked.promise

  expect(heard).toEqual(['first one'])
})

describe('a signal', () => {
  test('is heard once what it tells of is committed, and never of what was rolled back', async () => {
    await using world = await openWorld()
    const { db } = world
    await db`create table news (text text)`
    const heard: Promise<unknown>[] = []
    await db.listen('news', () => heard.push(Promise.resolve(db`select text from news`)))

    const refused = db.begin(async (tx) => {
      tx.signal('news')
      throw new Error('no')
    })
    await expect(refused).rejects.toThrow('no')
    await db.begin(async (tx) => {
      tx.signal('news')
      await tx`insert into news values ('committed')`
    })

    await expect.poll(() => heard.length).toBe(1)
    expect(await heard[0]).toEqual([{ text: 'committed' }])
  })

  test('is one for many transactions, and none is left unsent by the end of the pool', async () => {
    await using world = await openWorld()
    const writer = openDb({ ...world.connection, applicationName: 'test writer' })
    let heard = 0
    const marked = Promise.withResolvers<string>()
    await world.db.listen('news', () => (heard += 1))
    await world.db.listen('mark', marked.resolve)
    const commits = Array.from({ length: 50 }, () => writer.begin(async (tx) => tx.signal('news')))

    await Promise.all(commits)
    await writer.end()
    const after = openDb({ ...world.connection, applicationName: 'test writer' })
    await after.begin(async (tx) => tx.signal('mark'))
    await after.end()
    await marked.promise

    expect(heard).toBeGreaterThanOrEqual(1)
    expect(heard).toBeLessThan(50)
  })
})

describe('an address', () => {
  test('may be a URL with the folder of a Unix socket', async () => {
    await using world = await openWorld()
    const db = openDb({ url: world.databaseUrl, applicationName: 'by url', max: 1 })

    const [row] =
      await db`select current_database() as name, current_setting('application_name') as application`

    expect(world.databaseUrl).toContain(String(row?.['name']))
    expect(row?.['application']).toBe('by url')
    await db.end()
  })

  test('may name several hosts: the first that answers is taken', async () => {
    await using world = await openWorld()
    await using proxy = await openDatabaseProxy(world.connection)
    const { port, username, pathname } = new URL(proxy.url)
    const url = `postgresql://${username}@127.0.0.1:1,127.0.0.1:${port}${pathname}?target_session_attrs=read-write`
    const db = openDb({ url, applicationName: 'test', max: 1 })

    expect(await db`select 1 as n`).toEqual([{ n: 1 }])
    await db`alter database ${db(pathname.slice(1))} set default_transaction_read_only = on`
    proxy.cut()
    await expect.poll(async () => codeOf(await failureOf(db`select 1 as n`))).toBe('READ_ONLY')
    await db.end()
  })

  test('of several hosts is tried first where it answered last', () => {
    const hosts = new Hosts(addressesOf({ url: 'postgresql://me@a,b,c/name' }), { checksRole: true })
    hosts.prefer(hosts.inOrder()[1]!)

    expect(hosts.inOrder().map(({ host }) => host)).toEqual(['b', 'a', 'c'])
  })

  test.each([
    ['a', false],
    ['a,b', true],
    ['a,b', false, 'target_session_attrs=any'],
    ['a', true, 'target_session_attrs=read-write'],
    ['a', true, 'target_session_attrs=primary'],
  ])('of %s passes over what takes no writes: %s, with %s', (hosts, passesOver, query = '') => {
    expect(passesOverStandbys({ url: `postgresql://me@${hosts}/name?${query}` })).toBe(passesOver)
  })

  test('may carry what libpq acts on, and settings of the session', async () => {
    await using world = await openWorld()
    const url = `${world.databaseUrl}&channel_binding=prefer&gssencmode=disable&keepalives=1&connect_timeout=3&search_path=%22a%20b%22,%20public`
    const db = openDb({ url, applicationName: 'test', max: 1 })

    const [row] = await db`select current_setting('search_path') as path`

    expect(row).toEqual({ path: '"a b", public' })
    await db.end()
  })

  test.each([
    [
      'postgresql://me:p%40ss@db.example/name',
      { host: 'db.example', port: 5432, user: 'me', password: 'p@ss', ssl: false },
    ],
    ['postgres://me@[::1]:6000/name?sslmode=disable', { host: '::1', port: 6000, ssl: false }],
    ['postgresql://me@db.example/name?sslmode=require', { ssl: { rejectUnauthorized: false } }],
    ['postgresql://me@db.example/name?sslmode=verify-full', { ssl: {} }],
    [
      'postgresql:///name?host=/run/postgresql&user=me',
      { host: '/run/postgresql', port: 5432, user: 'me', ssl: false },
    ],
    ['postgresql://me@%2Frun%2Fpostgresql:6000/name', { host: '/run/postgresql', port: 6000 }],
  ])('%s is read as libpq reads it', (url, parts) => {
    expect(addressesOf({ url })).toEqual([expect.objectContaining({ database: 'name', ...parts })])
  })

  test('of several hosts has a port for each, or one for all', () => {
    const portsOf = (url: string) => addressesOf({ url }).map(({ host, port }) => `${host} ${port}`)

    expect(portsOf('postgresql://me@a:1,b,[::1]:3/name')).toEqual(['a 1', 'b 5432', '::1 3'])
    expect(portsOf('postgresql://me@/name?host=a,/b&port=1,2')).toEqual(['a 1', '/b 2'])
    expect(portsOf('postgresql://me@/name?host=a,b&port=7')).toEqual(['a 7', 'b 7'])
  })

  test('that asks for TLS only if there is some is tried both ways', () => {
    const ways = addressesOf({ url: 'postgresql://me@a/name?sslmode=prefer' })

    expect(ways.map(({ ssl }) => ssl !== false)).toEqual([true, false])
  })

  test.each([
    ['me@a/name?sslmode=maybe', 'says sslmode=maybe'],
    ['me@a/name?sslmode=verify-full&sslrootcert=/nowhere.pem', 'names sslrootcert=/nowhere.pem'],
    ['me@a,,b/name', 'lists a host without a name'],
    ['me@/name?host=a,b,c&port=1,2', 'has 2 ports for 3 hosts'],
    ['me@a:70000/name', 'has a port'],
    ['me@a:x/name', 'has a port'],
    ['me@a/name?connect_timeout=soon', 'has a connect_timeout'],
    ['me@::1/name', 'has a port'],
    ['me@[::1]x/name', 'lists a malformed host'],
    ['me:a%b@a/name', 'is not a well-formed address'],
    ['me@a', 'does not name a database'],
  ])('%s is refused in words', (text, fault) => {
    expect(() => addressesOf({ url: `postgresql://${text}` })).toThrow(fault)
  })

  test.each(['standby', 'sometimes'])('that is to be a %s is refused in words', (wanted) => {
    const url = `postgresql://me@a/name?target_session_attrs=${wanted}`
    expect(() => passesOverStandbys({ url })).toThrow(`says target_session_attrs=${wanted}`)
  })

  test('of the network keeps its plain form', () => {
    expect(urlOf({ host: 'db.example', port: 5433, database: 'a b', user: 'me' })).toBe(
      'postgresql://me@db.example:5433/a%20b',
    )
    expect(urlOf({ url: 'postgresql://x/y' })).toBe('postgresql://x/y')
  })
})

test('a pool that reaches rows by index compiles no statement, whatever the database would', async () => {
  await using world = await openWorld()
  await world.db.script(
    `do $$ begin execute format('alter database %I set jit = on', current_database()); end $$`,
  )
  const byIndex = openDb({ ...world.connection, applicationName: 'one', max: 1, byIndex: true })
  expect(await byIndex`show jit`).toEqual([{ jit: 'off' }])
  await byIndex.end()
})
