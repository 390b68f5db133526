import { hash } from 'node:crypto'
import type { Sql } from '../../../platform/postgres/db.ts'
import type { EmailAddress } from '../../../platform/text/email-address.ts'
import { remoteParty } from '../../../platform/outbound/remote-party.ts'

/** Something that may be tried so often within 15 minutes, or a day; counted in the database, for all processes together. */
export type Limit = {
  readonly what: string
  readonly of: string
  readonly atMost: number
  readonly within?: 'a day'
}

const MINUTES = 15
const DAY_MINUTES = 1_440

/** Tries at one account, whether there is such an account or not. */
export function perAccount(email: EmailAddress): Limit {
  return { what: 'account', of: email, atMost: 10 }
}

/** The same in a browser in which its person has signed in before: others do not take these. */
export function perKnownBrowser(browserId: string): Limit {
  return { what: 'known browser', of: browserId, atMost: 10 }
}

/** The same of all known browsers of a person: a former holder of the password may have collected any number of them. */
export function perKnownBrowsers(personId: string): Limit {
  return { what: 'known browsers', of: personId, atMost: 30 }
}

/** Proofs of identity in one session, which only a signed-in person gets. */
export function perSession(sessionId: string): Limit {
  return { what: 'proofs in session', of: sessionId, atMost: 10 }
}

/** Tries from one address, at whatever accounts. */
export function perAddress(address: string): Limit {
  return { what: 'address', of: remoteParty(address), atMost: 60 }
}

/** Codes of the second factor: a million of them, and three are good at any time. */
export function perSecondFactor(personId: string): Limit {
  return { what: 'second factor', of: personId, atMost: 10 }
}

/** Links to set a new password, for one address of an account, whether there is such an account or not. */
export function resetsPerAccount(email: EmailAddress): Limit {
  return { what: 'reset of account', of: email, atMost: 3 }
}

/** Links to set a new password that one address asks for, for whatever accounts. */
export function resetsPerAddress(address: string): Limit {
  return { what: 'resets from address', of: remoteParty(address), atMost: 20 }
}

/** Links to another e-mail address that one person asks for. */
export function emailLinksPerPerson(personId: string): Limit {
  return { what: 'e-mail links of person', of: personId, atMost: 5 }
}

/** Codes of devices that one person enters: they are short, and another device may wait under each. */
export function deviceCodesPerPerson(personId: string): Limit {
  return { what: 'device codes of person', of: personId, atMost: 10 }
}

/** The same from one address, as whichever person. */
export function deviceCodesPerAddress(address: string): Limit {
  return { what: 'device codes from address', of: remoteParty(address), atMost: 60 }
}

/** Ways to the issuer that one address begins. */
export function issuerSignIns(address: string): Limit {
  return { what: 'issuer sign-ins from address', of: remoteParty(address), atMost: 60 }
}

/** Invitations that one member sends by mail. */
export function invitationsPerMember(memberId: string): Limit[] {
  return [
    { what: 'invitations of member', of: memberId, atMost: 50 },
    { what: 'invitations of member in a day', of: memberId, atMost: 200, within: 'a day' },
  ]
}

/** Mails that people here have sent to an address whose reader may not know them: invitations, and links to confirm it. */
export function mailsToStranger(email: EmailAddress): Limit {
  return { what: 'mails to stranger', of: email, atMost: 5, within: 'a day' }
}

/**
 * Counts a try under every limit, before it is known how it ends, so that many at once cannot all be the first. Gives
 * null, or the seconds after which to try again.
 */
export async function takeTry(sql: Sql, limits: readonly Limit[]): Promise<number | null> {
  const taken = await sql<{ bucket: string; count: number; seconds: number }[]>`
    insert into throttle as t (bucket, count, ends_at)
    select bucket, 1, now() + minutes * interval '1 minute'
    from   unnest(${limits.map(bucketOf)}::text[], ${limits.map(minutesOf)}::int[]) as limits (bucket, minutes)
    order  by bucket  -- one order of locks
    on     conflict (bucket) do update
    set    count   = case when t.ends_at <= now() then 1 else t.count + 1 end,
           ends_at = case when t.ends_at <= now() then excluded.ends_at else t.ends_at end
    returning bucket, count, ceil(extract(epoch from ends_at - now()))::int as seconds`
  const over = taken.filter(({ bucket, count }) => {
    const limit = limits.find((one) => bucketOf(one) === bucket)
    return limit !== undefined && count > limit.atMost
  })
  return over.length === 0 ? null : Math.max(1, ...over.map(({ seconds }) => seconds))
}

/** Takes a try back that was good: only failures count in the end. */
export async function giveBackTry(sql: Sql, limits: readonly Limit[]): Promise<void> {
  await sql`
    update throttle set count = count - 1
    where  bucket = any(${limits.map(bucketOf)}::text[]) and count > 0`
}

/** Forgets what was tried. */
export async function clearTries(sql: Sql, limits: readonly Limit[]): Promise<void> {
  await sql`delete from throttle where bucket = any(${limits.map(bucketOf)}::text[])`
}

function minutesOf({ within }: Limit): number {
  return within === 'a day' ? DAY_MINUTES : MINUTES
}

function bucketOf({ what, of }: Limit): string {
  return hash('sha256', `${what}\n${of}`)
}
