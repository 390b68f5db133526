import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { makeKeyring, openKeyring, parseSecretKeys, SealBroken, Secret } from './sealing.ts'

const old = randomBytes(32)
const recent = randomBytes(32)

describe('sealing', () => {
  test('what was sealed comes back in its context', () => {
    const ring = makeKeyring([old])
    const sealed = ring.seal('päss', 'channel:1')

    expect(ring.unseal(sealed, 'channel:1').toString()).toBe('päss')
    expect(sealed.includes('päss')).toBe(false)
    expect(ring.seal('päss', 'channel:1')).not.toEqual(sealed)
    expect(ring.unseal(ring.seal(Buffer.alloc(0), ''), '')).toEqual(Buffer.alloc(0))
  })

  test('another context does not open it', () => {
    const ring = makeKeyring([old])
    expect(() => ring.unseal(ring.seal('x', 'channel:1'), 'channel:2')).toThrow(SealBroken)
  })

  test('no byte of it can be changed, and none left out', () => {
    const ring = makeKeyring([old])
    const sealed = ring.seal('secret', 'c')
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed)
      changed[index]! ^= 1
      expect(() => ring.unseal(changed, 'c')).toThrow(SealBroken)
      expect(() => ring.unseal(sealed.subarray(0, index), 'c')).toThrow(SealBroken)
    }
  })

  test('after a rotation the old key still opens, and the new one seals', () => {
    const sealed = makeKeyring([old]).seal('x', 'c')
    const rotated = makeKeyring([recent, old])

    expect(rotated.unseal(sealed, 'c').toString()).toBe('x')
    expect(rotated.isOutdated(sealed)).toBe(true)
    expect(rotated.isOutdated(rotated.seal('x', 'c'))).toBe(false)
    expect(() => makeKeyring([old]).unseal(rotated.seal('x', 'c'), 'c')).toThrow(/not among SECRET_KEYS/)
  })
})

describe('the key file', () => {
  async function openDir() {
    const dataDir = await mkdtemp(join(tmpdir(), 'keys-'))
    return {
      dataDir,
      path: join(dataDir, 'secret-keys'),
      [Symbol.asyncDispose]: () => rm(dataDir, { recursive: true }),
    }
  }

  test('is created once, for its owner alone, whoever starts at the same time', async () => {
    await using dir = await openDir()
    const open = () => openKeyring({ secretKeys: null, dataDir: dir.dataDir })

    const rings = await Promise.all([open(), open(), open()])

    expect(new Set([...rings, await open()].map(({ keyId }) => keyId)).size).toBe(1)
    expect((await stat(dir.path)).mode & 0o777).toBe(0o600)
  })

  test('is neither read nor written when SECRET_KEYS is set', async () => {
    await using dir = await openDir()
    const secretKeys = new Secret(old.toString('base64'))

    expect((await openKeyring({ secretKeys, dataDir: dir.dataDir })).keyId).toBe(makeKeyring([old]).keyId)
    await expect(stat(dir.path)).rejects.toThrow('ENOENT')
  })

  test('is never replaced when it is damaged', async () => {
    await using dir = await openDir()
    await writeFile(dir.path, 'rubbish')

    await expect(openKeyring({ secretKeys: null, dataDir: dir.dataDir })).rejects.toThrow(
      'holds no usable keys',
    )
    expect(await readFile(dir.path, 'utf8')).toBe('rubbish')
  })
})

test.each([
  ['one key', old.toString('base64'), 1],
  ['two keys, line ends', `${old.toString('base64')},\n${recent.toString('base64')}\n`, 2],
  ['the URL alphabet without padding', old.toString('base64url'), 1],
  ['nothing', ' ', null],
  ['a short key', randomBytes(16).toString('base64'), null],
  ['no base64', '!'.repeat(44), null],
])('keys are read from %s', (_, text, count) => {
  expect(parseSecretKeys(text)?.length ?? null).toBe(count)
})

test('a secret shows itself in no print', () => {
  const secret = new Secret('hunter2')
  const prints = [
    String(secret),
    JSON.stringify({ secret }),
    inspect({ secret }),
    inspect(secret, { showHidden: true }),
  ]

  for (const print of prints) {
    expect(print).toContain('[sealed]')
    expect(print).not.toContain('hunter2')
  }
  expect(secret.reveal()).toBe('hunter2')
})
