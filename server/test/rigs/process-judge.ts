import { expect } from 'vitest'
import type { Db } from '../../src/platform/postgres/db.ts'
import type { Told } from './process-clients.ts'
import type { Receiver } from './receiver.ts'
import type { ServerRig } from './server-rig.ts'

/** Every post has become what its client was told, there is no other one, and the network has made each once. */
export async function expectAsTold(
  rig: ServerRig,
  told: ReadonlyMap<string, Told>,
  withinMs = 100_000,
): Promise<void> {
  const otherwise = async () => {
    const rows = await rig.db<(Told & { postId: string })[]>`
      select d.post_id as "postId", d.status, p.text
      from   destination d
      join   part p on p.workspace_id = d.workspace_id and p.destination_id = d.id`
    const found = new Map(rows.map(({ postId, status, text }) => [postId, `${status}: ${text}`]))
    const wanted = new Map([...told].map(([postId, { status, text }]) => [postId, `${status}: ${text}`]))
    return [...new Set([...found.keys(), ...wanted.keys()])]
      .filter((postId) => found.get(postId) !== wanted.get(postId))
      .map((postId) => ({ postId, told: wanted.get(postId), found: found.get(postId) }))
  }
  await expect.poll(otherwise, { timeout: withinMs, interval: 200 }).toEqual([])
  const published = [...told.values()].filter(({ status }) => status === 'published')
  const answer = await fetch(`${rig.networkUrl}/control/creates`)
  const { byText } = (await answer.json()) as { byText: { text: string; count: number }[] }
  expect(byText.filter(({ count }) => count !== 1)).toEqual([])
  expect(byText.map(({ text }) => text).toSorted()).toEqual(published.map(({ text }) => text).toSorted())
}

/** Each end has its one event, and the receiver has every event, by the endpoint at its origin. Returns their ids. */
export async function expectEventsOf(
  rig: ServerRig,
  told: ReadonlyMap<string, Told>,
  receiver: Receiver,
  withinMs = 60_000,
): Promise<ReadonlySet<string>> {
  const statuses = () => rig.db`
    select distinct d.status
    from   delivery d
    join   endpoint e on e.workspace_id = d.workspace_id and e.id = d.endpoint_id
    where  starts_with(e.url, ${receiver.origin})`
  await expect.poll(statuses, { timeout: withinMs }).toEqual([{ status: 'delivered' }])
  const events = await rig.db<{ id: string; type: string; postId: string }[]>`
    select id, type, post_id as "postId" from outbox_event`
  const ends = events.filter(({ type }) => type === 'post.published' || type === 'post.cancelled')
  expect(ends.map(({ postId, type }) => `${postId} ${type}`).toSorted()).toEqual(
    [...told]
      .filter(([, { status }]) => status !== 'draft')
      .map(([postId, { status }]) => `${postId} post.${status}`)
      .toSorted(),
  )
  const ids = new Set(events.map(({ id }) => id))
  expect(new Set(receiver.received.map(({ headers }) => headers['x-service-event-id']))).toEqual(ids)
  return ids
}

/** The time of what has been scheduled for a second comes, and what a process took with it when it died is not waited for. */
export async function passTime(db: Db): Promise<void> {
  await db`
    with coming as (
      select workspace_id, id from destination
      where  status = 'scheduled' and due_at > now() + interval '1 minute' and created_at < now() - interval '1 second'
      order  by id
      for    no key update skip locked
    )
    update destination d
    set    publish_at = now(), due_at = now(), expires_at = now() + interval '1 hour'
    from   coming
    where  d.workspace_id = coming.workspace_id and d.id = coming.id`
  await db.notify('postrider_due', '')
  // A dispatcher renews no lease: one that has run for five seconds belongs to a request that was given up.
  await db`
    update delivery set lease_until = now() where status = 'sending' and lease_until < now() + interval '25 seconds'`
}
