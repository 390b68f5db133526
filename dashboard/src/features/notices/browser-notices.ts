import { type NoticeKind, noticeKindNames } from '@postrider/contract/names'
import { storeText, useStoredText } from '../../lib/stored-text.ts'

/* Of which kinds this browser tells a member, while a tab is open. A member is a person in one workspace. */

const keyOf = (memberId: string) => `postrider.notices.${memberId}`

/** Whether notifications can be shown here at all: browsers have them on https and localhost only. */
export const canNotify = () => 'Notification' in window && isSecureContext

/** The kinds that are on, as one text; empty for none. */
export function useBrowserKinds(memberId: string): string {
  return useStoredText(keyOf(memberId))
}

export const kindsIn = (text: string): NoticeKind[] =>
  noticeKindNames.filter((kind) => text.split(' ').includes(kind))

export function keepKinds(memberId: string, kinds: readonly NoticeKind[]): void {
  storeText(keyOf(memberId), kinds.join(' '))
}
