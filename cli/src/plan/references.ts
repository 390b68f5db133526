import { readReference } from '@postrider/contract/plan'
import type { Post, Postrider } from '@postrider/sdk'
import type { Current } from './diff.ts'

const LARGEST_PAGE = 100
const AT_ONCE = 4

/** The posts of a plan as the server has them, each in its latest generation, and those that the plan names by their ids. */
export async function readCurrent(
  client: Postrider,
  plan: string,
  named: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<Map<string, Current>> {
  const latest = new Map<string, { generation: number; postId: string }>()
  for await (const { reference, postId } of client.posts.list(
    { reference: `${plan}/*`, limit: LARGEST_PAGE },
    { signal },
  )) {
    const found = reference === null ? null : readReference(plan, reference)
    if (found === null || (latest.get(found.id)?.generation ?? 0) >= found.generation) continue
    latest.set(found.id, { generation: found.generation, postId })
  }
  for (const [id, postId] of named) latest.set(id, { generation: 1, postId })
  const current = new Map<string, Current>()
  const left = [...latest]
  const lane = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [id, { generation, postId }] = next
      const post: Post = await client.posts.read(postId, { signal })
      current.set(id, { generation, post })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return current
}
