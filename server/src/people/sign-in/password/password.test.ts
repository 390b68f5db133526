import { expect, test } from 'vitest'
import { hashPassword, passwordFault, passwordFits } from './password.ts'

const email = 'ada@example.com'

test('a password fits its own hash, however its characters are composed, and no other', async () => {
  const phc = await hashPassword('früh am Morgen')
  expect(phc).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  expect(await hashPassword('früh am Morgen')).not.toBe(phc)
  expect(await passwordFits('früh am Morgen'.normalize('NFD'), phc)).toBe(true)
  expect(await passwordFits('frueh am Morgen', phc)).toBe(false)
  expect(await passwordFits('', phc)).toBe(false)
})

test('the vector of the reference implementation', async () => {
  // phc-winner-argon2, src/test.c: version 0x13, Argon2id, t=2, m=256, p=1.
  const phc = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'
  expect(await passwordFits('password', phc)).toBe(true)
  expect(await passwordFits('differentpassword', phc)).toBe(false)
})

test('without a hash nothing fits', async () => {
  expect(await passwordFits('früh am Morgen', null)).toBe(false)
})

test('many at once are all answered', async () => {
  const phc = await hashPassword('correct horse battery')
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => passwordFits(n % 2 === 0 ? 'correct horse battery' : 'other', phc)),
  )
  expect(answers).toEqual(answers.map((_, n) => n % 2 === 0))
})

test('beyond what can wait, people are told to come back', async () => {
  const results = await Promise.allSettled(Array.from({ length: 24 }, () => passwordFits('x', null)))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(18)
  expect(results.at(-1)).toMatchObject({ reason: { name: 'Unready' } })
  expect(await passwordFits('x', null)).toBe(false)
})

test.each([
  ['short', 'at least 12'],
  ['a'.repeat(257), 'at most 256'],
  ['abababababab', 'too few characters'],
  [email.toUpperCase(), 'email address'],
  ...[
    'password1234',
    'Password123!',
    'PASSW0RD1234',
    'qwertyuiop12',
    '123456789012',
    '1q2w3e4r5t6y',
    'iloveyou1234',
    'letmein12345',
    'changeme1234',
    'passwordpassword',
    'trustno1trustno1',
    'administrator',
    'postrider1234',
    'password1234'.repeat(2),
  ].map((password): [string, string] => [password, 'easily guessed']),
])('%s is refused', async (password, words) => {
  expect(await passwordFault(password, { email })).toContain(words)
})

test.each([
  'correct horse battery',
  'x7Kp2mQ9vL4t',
  'a random pass',
  '密码密码安全很重要真的吗对',
  '🐎🐢🐎🦊🐝🐎🐢🐛🐞🐜🦋🐌',
])('%s is accepted', async (password) => {
  expect(await passwordFault(password, { email })).toBeNull()
})
