import type { app } from '@postrider/contract'
import { networkName } from '../channels/network-name.ts'
import { words } from './words.ts'

type Destination = app.ApprovalView['destinations'][number]

/** Networks for which Postrider makes the card of a link, and on which parts. */
const MAKES: Readonly<Record<string, 'first' | 'each'>> = { bluesky: 'each', linkedin: 'first' }

/** Which link gets a card on a part, in words; null for none that is known. */
export function cardWords({ provider, parts, settings }: Destination, index: number): string | null {
  const part = parts[index]
  const makes = MAKES[provider ?? '']
  if (part === undefined || makes === undefined || (makes === 'first' && index > 0)) return null
  if (part.mediaIds.length > 0 || settings['linkCard'] === false) return null
  const link = /https?:\/\/[^\s]+/.exec(part.text)?.[0]
  return link === undefined ? null : words.linkCard(networkName(provider ?? ''), hostOf(link))
}

function hostOf(link: string): string {
  return URL.canParse(link) ? new URL(link).host : link
}
