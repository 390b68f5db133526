import { isProblem, type Operations, type Postrider } from '@postrider/sdk'
import type { Change } from './diff.ts'
import type { Fault } from './faults.ts'
import { type MediaIds, newPost } from './bodies.ts'
import type { PlannedPost, PlannedTarget } from './read-plan.ts'

const AT_ONCE = 4
/** Of a text that is empty because its file is not uploaded yet. */
const NEEDS_MEDIA = 'text_empty'

/** Asks the server of everything that would be created or changed whether it fits, and says where in the files it does not. */
export async function checkPosts(
  client: Postrider,
  changes: readonly Change[],
  ids: MediaIds,
  signal: AbortSignal,
): Promise<Fault[]> {
  const faults: Fault[] = []
  const left = changes.flatMap((change) => (change.is === 'create' || change.is === 'change' ? [change] : []))
  const lane = async () => {
    for (let change = left.shift(); change !== undefined; change = left.shift()) {
      const { planned } = change
      const body = newPost(planned.targets, ids)
      const isWhole = planned.targets.every(({ parts }) =>
        parts.every(({ media }) => media.every((each) => ids(each) !== null)),
      )
      const found = await faultsOf(
        client,
        change.is === 'change' ? { ...body, postId: change.post.postId } : body,
        signal,
      )
      faults.push(
        ...found
          .filter(({ code }) => isWhole || code !== NEEDS_MEDIA)
          .map(({ pointer, message }) => ({
            ...planned.placeOf(pathOf(pointer, planned)),
            message: `${planned.id}: ${message}`,
          })),
      )
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return faults
}

type Body = Operations['checkPost']['body']
type Found = { readonly pointer: string; readonly code: string; readonly message: string }

async function faultsOf(client: Postrider, body: Body, signal: AbortSignal): Promise<Found[]> {
  try {
    const { issues } = await client.posts.check(body, { signal })
    return issues
      .filter(({ severity }) => severity === 'error')
      .map(({ pointer, code, message, fix }) => ({ pointer, code, message: `${message} ${fix}` }))
  } catch (error) {
    if (!isProblem(error, 'validation_failed', 'credential_limit')) throw error
    if (error.errors.length === 0) return [{ pointer: '', code: error.code, message: error.detail }]
    return error.errors.map(({ pointer, code, detail }) => ({ pointer, code, message: detail }))
  }
}

/** Where in the plan stands what a pointer into the request names. */
function pathOf(pointer: string, { targets }: PlannedPost): (string | number)[] {
  const [first, index, ...rest] = pointer
    .split('/')
    .slice(1)
    .map((word) => (/^\d+$/.test(word) ? Number(word) : word))
  const renamed = (words: readonly (string | number | undefined)[]) =>
    words.flatMap((word) => (word === undefined ? [] : word === 'mediaIds' ? ['media'] : [word]))
  if (first === 'channelIds') return ['channels', targets[Number(index)]?.place ?? 0]
  if (first !== 'targets') return renamed([first, index, ...rest])
  const target: PlannedTarget | undefined = targets[Number(index)]
  return target === undefined ? [] : ['perChannel', target.name, ...renamed(rest)]
}
