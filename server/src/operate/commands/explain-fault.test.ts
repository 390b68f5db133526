import { afterEach, expect, test } from 'vitest'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { answered, unreachable } from '../../../test/rigs/database-faults.ts'
import { openS3Storage } from '../../media/s3-storage.ts'
import { MEANING as awayMeanings } from '../../platform/postgres/errors.ts'
import { type Outside, OutsideFault } from '../../platform/process/outside-fault.ts'
import { Secret } from '../../platform/sealing/sealing.ts'
import { explainedCodes, explainFault } from './explain-fault.ts'

const { database: databaseCodes, ...outsideCodes } = explainedCodes
const outside = Object.keys(outsideCodes) as Outside[]
const coded = (code: string, message = 'as it says') => Object.assign(new Error(message), { code })

/** Who a sentence may speak of, and no other sentence of the others. */
const SPEAKS_OF: Record<Outside | 'database', RegExp> = {
  database: /database|DATABASE_URL|transaction/i,
  store: /S3_|media store/,
  mail: /mail server|SMTP_URL/,
  issuer: /identity provider|OIDC_ISSUER/,
  network: /internet|HTTPS/,
  api: /the server|BASE_URL/i,
}

test.each(outside)('what %s says is explained as its own, whatever the code', (of) => {
  for (const code of [...explainedCodes[of], 'ECONNREFUSED', 'EUNHEARDOF']) {
    const said = explainFault(new Error('around it', { cause: new OutsideFault(of, coded(code)) }))
    expect(said).toMatch(SPEAKS_OF[of])
    const others = [...outside, 'database' as const].filter((each) => each !== of)
    // "The server" is also a part of "the mail server".
    for (const other of others.filter((each) => each !== 'api')) expect(said).not.toMatch(SPEAKS_OF[other])
  }
})

test('what the database says is explained as its own, and what nobody has signed as nobody’s', () => {
  for (const code of databaseCodes) {
    const fault = /^[0-9]/.test(code) ? answered(code) : unreachable(code)
    expect(explainFault(fault)).toMatch(SPEAKS_OF.database)
    expect(explainFault(coded(code))).not.toMatch(/DATABASE_URL/)
  }
})

test('every trouble of the database has words', () => {
  const away = Object.keys(awayMeanings)
  const troubles = [
    '57014',
    '55P03',
    '40P01',
    '40001',
    '57P01',
    '57P02',
    '57P03',
    '53100',
    '53200',
    '53300',
    '58030',
    '25006',
  ]
  for (const fault of [...away.map(unreachable), ...troubles.map(answered)])
    expect(explainFault(fault)).not.toMatch(/Something broke/)
})

/** Ends with one full stop, has none in a row, and no mark before one. */
const isWhole = (said: string) => /[^\s.!?:,;…]\.$/.test(said) && !/\.\.|[!?:,;]\.|\.\s*\./.test(said)

test('each sentence ends with one full stop, however what is quoted ends', () => {
  for (const end of ['', '.', '..', '. ', '.\n']) {
    const message = `it does not work${end}`
    const faults: unknown[] = [
      message,
      new Error(message),
      coded('EMFILE', message),
      Object.assign(answered('08P01'), { message }),
      Object.assign(answered('08P01'), { message: `unsupported startup parameter: x${end}` }),
      ...databaseCodes.flatMap((code) => [Object.assign(answered(code), { message }), unreachable(code)]),
      ...outside.flatMap((of) =>
        [...explainedCodes[of], 'EUNHEARDOF'].map((code) => new OutsideFault(of, coded(code, message))),
      ),
      ...outside.map((of) => new OutsideFault(of, new Error(message, { cause: new Error(message) }))),
    ]
    for (const fault of faults)
      expect([explainFault(fault), isWhole(explainFault(fault))]).toEqual([explainFault(fault), true])
  }
})

let server: Server | null = null
afterEach(() => void server?.close())

test.each([
  ['NoSuchBucket', 404, /The bucket in S3_BUCKET does not exist/],
  ['AccessDenied', 403, /refuses this key the bucket/],
  ['SignatureDoesNotMatch', 403, /refuses the key/],
])(
  'a media store that says %s is told so by every call, and clients are not told to wait',
  async (code, status, words) => {
    server = createServer((_request, response) =>
      response
        .writeHead(status, { 'content-type': 'application/xml' })
        .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>As it says.</Message></Error>`),
    ).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const storage = await openS3Storage(at((server.address() as AddressInfo).port))
    const asked = [
      () => Array.fromAsync(storage.list()),
      () => storage.isEmpty(),
      () => storage.readLabel(),
      () => storage.readMarks(),
      () => storage.writeLabel('x'),
    ]
    for (const ask of asked) {
      const fault: unknown = await ask().catch((thrown: unknown) => thrown)
      expect(explainFault(fault)).toMatch(words)
      expect((fault as Error).message).toMatch(/Ask the server operator/)
    }
    await storage.close()
  },
)

test('a media store that is not there is none of the database', async () => {
  const storage = await openS3Storage(at(9))
  for (const ask of [
    () => Array.fromAsync(storage.list()),
    () => storage.readLabel(),
    () => storage.readMarks(),
  ])
    expect(explainFault(await ask().catch((fault: unknown) => fault))).toBe(
      'The media store does not answer. Start it, or correct S3_ENDPOINT.',
    )
  await storage.close()
})

function at(port: number) {
  return {
    bucket: 'media',
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    prefix: '',
    accessKeyId: new Secret('id'),
    secretAccessKey: new Secret('key'),
    pathStyle: true,
  }
}
