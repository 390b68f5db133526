import { type NoticeKind, noticeKindNames } from '@postrider/contract/names'
import { useSyncExternalStore } from 'react'

/* Of which kinds this browser tells a member, while a tab is open. A member is a person in one workspace. */

const keyOf = (memberId: string) => `postrider.notices.${memberId}`
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}

/** Whether notifications can be shown here at all: browsers have them on https and localhost only. */
export const canNotify = () => 'Notification' in window && isSecureContext

/** The kinds that are on, as one text; empty for none. */
export function useBrowserKinds(memberId: string): string {
  return useSyncExternalStore(subscribe, () => localStorage.getItem(keyOf(memberId)) ?? '')
}

export const kindsIn = (text: string): NoticeKind[] =>
  noticeKindNames.filter((kind) => text.split(' ').includes(kind))

export function keepKinds(memberId: string, kinds: readonly NoticeKind[]): void {
  if (kinds.length === 0) localStorage.removeItem(keyOf(memberId))
  else localStorage.setItem(keyOf(memberId), kinds.join(' '))
  for (const listener of listeners) listener()
}
