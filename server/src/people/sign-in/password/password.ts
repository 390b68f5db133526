import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { guessesOf } from './guesses.ts'
import { Unready } from '../../../edge/operations/refusal.ts'

const hash = promisify(argon2)

/** OWASP's second choice for Argon2id: 19 MiB, two passes. About 35 ms of one core. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const TAG_BYTES = 32

/** Hashes at once: each takes 19 MiB and a thread of the pool, which files and look-ups need, too. */
const AT_ONCE = 2
const WAITING_MAX = 16

export const passwordLength = { min: 12, max: 256 }

/** A power of ten: fewer guesses are made at an account within a year, though it takes ten in a quarter of an hour. */
const GUESSES_MIN = 6

/** What is wrong with a new password, in a sentence; null for nothing. */
export async function passwordFault(password: string, { email }: { email: string }): Promise<string | null> {
  const { min, max } = passwordLength
  // Code points, as NIST counts them; Array.from, since a spread is taken for a mistake.
  const length = Array.from(normalized(password)).length
  if (length < min) return `The password must have at least ${min} characters.`
  if (length > max) return `The password must have at most ${max} characters.`
  if (new Set(normalized(password)).size < 5) return 'The password repeats too few characters.'
  if (normalized(password).toLowerCase() === email.toLowerCase())
    return 'The password must not be the email address.'
  const about = ['postrider', email, ...email.split(/[@.+_-]/)]
  return (await guessesOf(normalized(password), about)) < GUESSES_MIN
    ? 'The password is easily guessed. Use several words that do not belong together.'
    : null
}

/** The Argon2id hash of a password, as a PHC string. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const tag = await derive(password, { ...COST, salt, tagLength: TAG_BYTES })
  const { memory, passes, parallelism } = COST
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/** Whether the password has this hash. Without a hash nothing fits, after just as long. */
export async function passwordFits(password: string, phc: string | null): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', tag = ''] = PHC.exec(phc ?? '') ?? []
  if (memory === undefined) {
    if (phc !== null) throw new Error('A stored password hash is not a PHC string of Argon2id.')
    await derive(password, { ...COST, salt: Buffer.alloc(SALT_BYTES), tagLength: TAG_BYTES })
    return false
  }
  const wanted = Buffer.from(tag, 'base64')
  const found = await derive(password, {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tagLength: wanted.length,
  })
  return timingSafeEqual(found, wanted)
}

type Derivation = typeof COST & { salt: Buffer; tagLength: number }

let running = 0
const waiting: (() => void)[] = []

/** Throws Unready when too many wait already. */
async function derive(password: string, { salt, ...parameters }: Derivation): Promise<Buffer> {
  if (running >= AT_ONCE) {
    if (waiting.length >= WAITING_MAX)
      throw new Unready('Too many people are signing in right now. Try again in a minute.')
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else {
    running += 1
  }
  try {
    return await hash('argon2id', { message: normalized(password), nonce: salt, ...parameters })
  } finally {
    // The place goes to the next one directly, so that no newcomer can take it.
    const next = waiting.shift()
    if (next === undefined) running -= 1
    else next()
  }
}

/** Systems spell the same character in different ways (NIST SP 800-63B, 3.1.1.2). */
function normalized(password: string): string {
  return password.normalize('NFKC')
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
