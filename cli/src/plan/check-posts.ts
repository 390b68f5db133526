import { type Fault, type MediaIds, newPost, pathOf } from '@postrider/contract/plan'
import { isProblem, type Operations, type Postrider } from '@postrider/sdk'
import type { Change } from './diff.ts'

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
      const body = newPost(planned, ids)
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
