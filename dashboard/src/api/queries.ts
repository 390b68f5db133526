import { QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { type AnswerOf, call, type InputOf, type OperationId } from './client.ts'
import { isProblem, OfflineError } from './problem.ts'

const TRIES = 3

/** Reads are tried again only where no answer came: a refusal will be the same next time. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (tries, error) => error instanceof OfflineError && tries < TRIES,
      throwOnError: false,
    },
  },
})

/** One read of the API; what it shows is known under the operation and its input. */
export function read<Id extends OperationId>(id: Id, input: InputOf<Id>) {
  return queryOptions<AnswerOf<Id>>({
    queryKey: [id, input],
    queryFn: ({ signal }) => call(id, input, { signal }),
  })
}

/**
 * One write of the API. Everything that is shown is refetched after it, whether it succeeded or not: a refusal says, too,
 * that something is not as it was shown.
 */
export function useWrite<Id extends OperationId>(
  id: Id,
  /** Whether its success leads to another page: then nothing of this one is refetched. */
  { leadsAway = false }: { leadsAway?: boolean } = {},
) {
  const client = useQueryClient()
  return useMutation<AnswerOf<Id>, Error, InputOf<Id>>({
    mutationFn: (input) => call(id, input, { idempotencyKey: crypto.randomUUID() }),
    onSettled: (_answer, error) => (leadsAway && error === null ? undefined : client.invalidateQueries()),
  })
}

/** An address of the dashboard that is loaded anew; without a path, the workspace that the person has used last. */
export function homeAddress(path = ''): string {
  return new URL(path, document.baseURI).href
}

/** Where a person signs in, and comes back to this address. */
export function signInAddress(): string {
  const here = location.pathname + location.search
  return new URL(`sign-in?next=${encodeURIComponent(here)}`, document.baseURI).href
}

/** Where a person confirms who they are, in a tab of its own: the one that asked for it keeps what was entered. */
export function proveAddress(): string {
  return new URL('prove?next=%2Fproved', document.baseURI).href
}

export function isSignedOut(error: unknown): boolean {
  return isProblem(error, 'not_signed_in')
}
