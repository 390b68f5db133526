import type { PartStatus } from '@postrider/contract'

/** A part as it is when the answer to a former call for it comes. */
export type PartNow = {
  readonly status: PartStatus
  readonly remoteId: string | null
  /** The part says the same as that call did, and the doubt about it is about another call. */
  readonly sameDoubt: boolean
}

/**
 * What a post is to its part, where its call was given up before it was confirmed. `known`: the very post that is known. `second`: another
 * one is out already. `proof`: the part is in doubt, and this shows that it is out. `kept`: nothing follows now. Then, if the part is sent
 * next and still says the same, this is its proof, and no call is made; if it has ended, this one is out all the same.
 */
export type LatePlace = 'known' | 'second' | 'proof' | 'kept'

const places: Record<PartStatus, (part: PartNow, remoteId: string) => LatePlace> = {
  published: (part, remoteId) => (part.remoteId === remoteId ? 'known' : 'second'),
  checking: ({ sameDoubt }) => (sameDoubt ? 'proof' : 'kept'),
  // Another call is under way: its end is waited for.
  publishing: () => 'kept',
  pending: () => 'kept',
  failed: () => 'kept',
  skipped: () => 'kept',
}

export function placeOfLatePost(part: PartNow, remoteId: string): LatePlace {
  return places[part.status](part, remoteId)
}
