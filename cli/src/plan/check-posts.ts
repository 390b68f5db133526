import { type Fault, type MediaIds, newPost, pathOf } from '@postrider/contract/plan'
import type { Operations, Postrider } from '@postrider/sdk'
import type { Change } from './diff.ts'

/** How many posts one request has checked, and how much JSON: a request may have 1 MiB. */
const MOST_ROWS = 100
const MOST_CHARACTERS = 250_000
/** Of a text that is empty because its file is not uploaded yet. */
const NEEDS_MEDIA = 'text_empty'

type Row = Operations['checkPosts']['body']['posts'][number]
type Result = Operations['checkPosts']['answer']['results'][number]
type Asked = { readonly change: Planned; readonly row: Row }
type Planned = Extract<Change, { is: 'create' | 'change' }>

/** Asks the server of everything that would be created or changed whether it fits, and says where in the files it does not. */
export async function checkPosts(
  client: Postrider,
  changes: readonly Change[],
  ids: MediaIds,
  signal: AbortSignal,
): Promise<Fault[]> {
  const asked = changes.flatMap((change): Asked[] => {
    if (change.is !== 'create' && change.is !== 'change') return []
    const body = newPost(change.planned, ids)
    return [{ change, row: change.is === 'change' ? { ...body, postId: change.post.postId } : body }]
  })
  const faults: Fault[] = []
  for (const some of inRequests(asked)) {
    const { results } = await client.posts.checkMany(
      some.map(({ row }) => row),
      { signal },
    )
    for (const [n, { change }] of some.entries()) {
      const result = results[n]
      if (result === undefined) throw new Error('the server has left out a row')
      faults.push(...faultsOf(change, result, n, ids))
    }
  }
  return faults
}

function inRequests(asked: readonly Asked[]): Asked[][] {
  const requests: Asked[][] = []
  let characters = 0
  for (const one of asked) {
    const length = JSON.stringify(one.row).length
    const last = requests.at(-1)
    if (last === undefined || last.length === MOST_ROWS || characters + length > MOST_CHARACTERS) {
      requests.push([one])
      characters = length
    } else {
      last.push(one)
      characters += length
    }
  }
  return requests
}

type Found = { readonly pointer: string; readonly code: string; readonly message: string }

function faultsOf({ planned }: Planned, result: Result, index: number, ids: MediaIds): Fault[] {
  const isWhole = planned.targets.every(({ parts }) =>
    parts.every(({ media }) => media.every((each) => ids(each) !== null)),
  )
  return foundIn(result)
    .filter(({ code }) => isWhole || code !== NEEDS_MEDIA)
    .map(({ pointer, message }) => ({
      ...planned.placeOf(pathOf(pointer.slice(`/posts/${index}`.length), planned)),
      message: `${planned.id}: ${message}`,
    }))
}

function foundIn({ check, problem }: Result): Found[] {
  if (problem === undefined)
    return (check?.issues ?? [])
      .filter(({ severity }) => severity === 'error')
      .map(({ pointer, code, message, fix }) => ({ pointer, code, message: `${message} ${fix}` }))
  const { code, detail, errors = [] } = problem
  if (errors.length === 0) return [{ pointer: '', code, message: detail }]
  return errors.map((error) => ({ pointer: error.pointer, code: error.code, message: error.detail }))
}
