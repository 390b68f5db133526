import type { WebhookEvent } from '@postrider/sdk'
import { type Context, isSet } from '../command.ts'
import { givenOf } from '../fields.ts'
import { jsonText, visible } from '../terminal.ts'

/** `postrider events`: a line for each event, so that programs can read them as they come. */
export async function run(context: Context): Promise<void> {
  const { values, json, note, signal } = context
  const { events } = context.client()
  const query = givenOf('listEvents', values, ['limit'])
  const pages = isSet(values, 'follow')
    ? events.follow(query, { signal })
    : events.list(query, { signal }).pages()
  let cursor: string | null = null
  try {
    for await (const page of pages) {
      for (const event of page.items) process.stdout.write(`${json ? jsonText(event) : lineOf(event)}\n`)
      cursor = page.nextCursor
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  if (cursor !== null) note(`The next ones: postrider events --cursor ${cursor}`)
}

export function lineOf(event: WebhookEvent): string {
  const { id, type, createdAt, data } = event
  const where = 'destination' in data ? `  ${data.destination.provider}` : ''
  return visible(`${createdAt}  ${type.padEnd(23)}  ${data.post.postId}${where}  ${id}`)
}
