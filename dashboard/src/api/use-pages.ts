import { useInfiniteQuery } from '@tanstack/react-query'
import { type AnswerOf, call, type InputOf, type OperationId } from './client.ts'

type Page<Item> = { readonly items: readonly Item[]; readonly nextCursor: string | null }

/** The operations whose answers come in pages. */
type Paged = {
  [Id in OperationId]: AnswerOf<Id> extends Page<unknown> ? Id : never
}[OperationId]
type ItemOf<Id extends Paged> = AnswerOf<Id> extends Page<infer Item> ? Item : never

type Options = { limit: number; enabled?: boolean }

/** A list that is read page by page, and all of its items so far. */
export function usePages<Id extends Paged>(id: Id, input: InputOf<Id>, { limit, enabled = true }: Options) {
  const pages = useInfiniteQuery({
    queryKey: [id, input, limit],
    queryFn: ({ pageParam, signal }): Promise<Page<unknown>> => {
      const query = { ...('query' in input ? input.query : {}), limit }
      const page = pageParam === null ? query : { ...query, cursor: pageParam }
      return call<Id>(id, { ...input, query: page }, { signal })
    },
    enabled,
    initialPageParam: null as string | null,
    getNextPageParam: (last: Page<unknown>) => last.nextCursor,
  })
  const items = (pages.data?.pages.flatMap((page) => page.items) ?? []) as ItemOf<Id>[]
  return { pages, items }
}
