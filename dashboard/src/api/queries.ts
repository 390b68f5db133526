import { QueryClient, queryOptions, useIsFetching, useMutation } from '@tanstack/react-query'
import { type AnswerOf, call, type InputOf, type OperationId } from './client.ts'
import { isProblem, OfflineError, pauseOf } from './problem.ts'

const TRIES = 3
/** So that what was asked together does not come back in the same moment. */
const SPREAD_MS = 500
const LONGEST_MS = 30_000

/** How long until a read is tried again: as long as the server asks for, or twice as long as before. */
export function readAgainMs(tries: number, error: Error): number {
  const pause = pauseOf(error)
  return pause === null ? Math.min(1_000 * 2 ** tries, LONGEST_MS) : pause + Math.random() * SPREAD_MS
}

/**
 * Reads are tried again where no answer came, and for as long as the server asks to wait: any other refusal will be the same
 * next time. Writes are sent at once, and never again by themselves. What the browser says of its connection holds neither up: a
 * server of this machine or network is there without the internet, and a write that waited would come minutes after its click.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (tries, error) => pauseOf(error) !== null || (error instanceof OfflineError && tries < TRIES),
      retryDelay: readAgainMs,
      throwOnError: false,
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

/** One read of the API; what it shows is known under the operation and its input. */
export function read<Id extends OperationId>(id: Id, input: InputOf<Id>) {
  return queryOptions<AnswerOf<Id>>({
    queryKey: [id, input],
    queryFn: ({ signal }) => call(id, input, { signal }),
  })
}

/** Whether the server has asked to wait for something that this page reads. */
export function useServerBusy(): boolean {
  return useIsFetching({ predicate: ({ state }) => pauseOf(state.fetchFailureReason) !== null }) > 0
}

const WAIT_MS = 2_000

/**
 * Refetches everything that is shown, after a write. What follows a success waits for that, so that nothing old is seen: not for
 * long, and an error is told at once.
 */
export async function readAnew({
  failed = false,
  ...only
}: { failed?: boolean; queryKey?: [OperationId] } = {}): Promise<void> {
  const fetched = queryClient.invalidateQueries(only)
  if (failed) return
  const { promise: late, resolve } = Promise.withResolvers<void>()
  setTimeout(resolve, WAIT_MS)
  await Promise.race([fetched, late])
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
  return useMutation<AnswerOf<Id>, Error, InputOf<Id>>({
    mutationFn: (input) => call(id, input, { idempotencyKey: crypto.randomUUID() }),
    onSettled: (_answer, error) =>
      leadsAway && error === null ? undefined : readAnew({ failed: error !== null }),
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
