import {
  destinationStatuses,
  type Destination,
  type DestinationStatus,
  type EventType,
} from '@postrider/contract'
import { expect } from 'vitest'
import { moves } from '../../src/engine/destinations/destination-states.ts'
import type { CrashRig, Subject } from './crash-rig.ts'

/* What came of it all. The network is believed before the database, and the database's own record before the events. */

export type PublicPost = { id: string; url: string; text: string }
type Create = { accountId: string; text: string; inReplyTo: string | null; count: number }

async function controlOf<T>({ networkUrl }: CrashRig, path: string): Promise<T> {
  return (await (await fetch(`${networkUrl}/control/${path}`)).json()) as T
}

/** The accounts that the network lets in no longer, by handle. */
export async function revokedAccounts(rig: CrashRig): Promise<string[]> {
  const { items } = await controlOf<{ items: { handle: string; revoked: boolean }[] }>(rig, 'accounts')
  return items.filter(({ revoked }) => revoked).map(({ handle }) => handle)
}

/** What everybody can see of an account on its page, newest first. */
export async function publicPosts({ networkUrl }: CrashRig, handle: string): Promise<PublicPost[]> {
  const posts: PublicPost[] = []
  for (let page: string | null = ''; page !== null;) {
    const html = await (await fetch(`${networkUrl}/@${handle}${page}`)).text()
    const shown = /class="when" href="(?<path>[^"]+)"[^]*?<p class="text" dir="auto">(?<text>[^]*?)<\/p>/g
    for (const { groups } of html.matchAll(shown)) {
      const path = groups!['path']!
      const text = groups!['text']!.replace(/<[^>]+>/g, '')
      posts.push({ id: path.split('/').at(-1)!, url: networkUrl + path, text })
    }
    page = /class="more" href="([^"]+)"/.exec(html)?.[1] ?? null
  }
  return posts
}

/**
 * Nothing was made twice; what is published is out once, part after part, in the words of the last edit that was
 * accepted; of what was cancelled or has failed nothing is out; of what ended in the middle, only what it says.
 */
export async function expectNothingTwiceAndNothingLost(rig: CrashRig): Promise<void> {
  const { byText: creates } = await controlOf<{ byText: Create[] }>(rig, 'creates')
  // What the network took and could not process may be made again: the page shows that it is out once at most.
  expect(creates.filter(({ count, text }) => count > 1 && !text.includes('processing-fails'))).toEqual([])
  for (const place of rig.places) {
    const out = (await publicPosts(rig, place.handle)).toReversed()
    expect(new Set(out.map(({ text }) => text)).size).toBe(out.length)
    const made = creates.filter(({ accountId }) => accountId === place.accountId)
    for (const subject of rig.subjects.filter(({ places }) => places.includes(place))) {
      const { destinations } = await rig.api.read(subject.workspace, subject.postId)
      const destination = destinations.find(({ channelId }) => channelId === place.channelId)!
      const isIts = ({ text }: { text: string }) => text.startsWith(`post ${subject.number} `)
      expectOut(subject, destination, out.filter(isIts), made.filter(isIts))
    }
  }
}

/** The ends of what has only its first parts out. */
const ended: readonly DestinationStatus[] = ['expired', 'partially_published']

function expectOut(
  { words, comment }: Subject,
  { status, parts }: Destination,
  out: readonly PublicPost[],
  made: readonly Create[],
): void {
  const published = parts.filter((part) => part.status === 'published')
  const expected =
    status === 'published' ? words : ended.includes(status) ? words.slice(0, published.length) : []
  expect({ status, out: out.map(({ text }) => text) }).toEqual({ status, out: expected })
  // What the network was told to make and does not show is in these words, too: but for what it failed to process
  // before a retry, after which the post may have been edited.
  const standing = made.filter(({ text }) => !text.includes('processing-fails'))
  expect(words).toEqual(expect.arrayContaining(standing.map(({ text }) => text)))
  expect(published.map(({ releaseUrl }) => releaseUrl)).toEqual(out.map(({ url }) => url))
  for (const [index, { text }] of out.entries()) {
    const parent = comment && index > 0 && index === words.length - 1 ? out[0] : out[index - 1]
    expect(made.find((one) => one.text === text)!.inReplyTo).toBe(parent?.id ?? null)
  }
}

/** A status that a destination entered, what it waited for then, and how many of its parts were out. */
type Entry = { status: DestinationStatus; wait: string | null; out: number }
type History = { status: DestinationStatus; entries: Entry[]; told: EventType[]; bodies: string[] }

/** Every status is entered by a move, and is told by its event, once and in order, whoever died on the way. */
export async function expectEveryEventAsTheMovesSay(rig: CrashRig): Promise<readonly DestinationStatus[]> {
  const histories = await rig.db<History[]>`
    select d.status,
           (select jsonb_agg(jsonb_build_object('status', status, 'wait', wait, 'out', out) order by seq)
            from status_history l where l.destination_id = d.id) as entries,
           array(select type::text from outbox_event e where e.destination_id = d.id order by seq) as told,
           array(select convert_from(body, 'utf8')::jsonb #>> '{data,destination,status}'
                 from outbox_event e where e.destination_id = d.id order by seq) as bodies
    from   destination d`
  const allowed = new Set(Object.values(moves).flatMap(({ from, to }) => from.map((one) => `${one} → ${to}`)))
  for (const { status, entries, told, bodies } of histories) {
    const entered = entries.map((entry) => entry.status)
    expect(['draft', 'scheduled']).toContain(entered[0])
    expect(entered.at(-1)).toBe(status)
    const made = entered.slice(1).map((to, place) => `${entered[place]} → ${to}`)
    expect(made.filter((move) => !allowed.has(move))).toEqual([])
    const announcing = news(entries)
    expect(told).toEqual(announcing.map((one) => destinationStatuses[one].event))
    expect(bodies).toEqual(announcing)
  }
  return histories.flatMap(({ entries }) => entries.map(({ status }) => status))
}

/** The statuses that have an event, without those that only go on with the wait that was announced last. */
function news(entries: readonly Entry[]): DestinationStatus[] {
  let last: Entry | null = null
  return entries.flatMap((entry) => {
    if (destinationStatuses[entry.status].event === null) return []
    const { status, wait, out } = entry
    if (wait !== null && last?.status === status && last.wait === wait && last.out === out) return []
    last = entry
    return [status]
  })
}

/** How often all destinations together made a move. */
export async function movesMade({ db }: CrashRig, from: DestinationStatus, to: DestinationStatus) {
  const [row] = await db<{ count: number }[]>`
    select count(*)::int as count
    from   (select status as next, lag(status) over (partition by destination_id order by seq) as status from status_history) step
    where  step.status = ${from} and step.next = ${to}`
  return row!.count
}

/** The statuses that any destination has been in. */
export async function statusesEntered({ db }: CrashRig): Promise<ReadonlySet<DestinationStatus>> {
  const rows = await db<{ status: DestinationStatus }[]>`select distinct status from status_history`
  return new Set(rows.map(({ status }) => status))
}
