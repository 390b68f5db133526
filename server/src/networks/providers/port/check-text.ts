import type { characterCounter } from '../shared/characters.ts'
import type { Limits } from './bounds.ts'
import type { PartFault } from './port.ts'

const countedAs: Record<Limits['characterCounting'], string> = {
  code_points: 'characters',
  graphemes: 'characters as people see them',
  x_weighted: 'characters by weight (a link is 23, most emoji and CJK characters are 2)',
  mastodon: 'characters as people see them (a link is 23, the domain of a mention is free)',
  linkedin: 'characters (brackets, #, @ and other reserved signs count 2)',
  threads: 'characters (an emoji counts as its bytes)',
}

/** How a text is too long for a network with these limits, and by how much; null when it is not. */
export function lengthFault(
  text: string,
  displayName: string,
  { maxCharacters, characterCounting, maxBytes = Infinity }: Limits,
  count: ReturnType<typeof characterCounter>,
): Pick<PartFault, 'message' | 'fix'> | null {
  const characters = count(text, characterCounting)
  const over = characters - maxCharacters
  const bytes = maxBytes === Infinity ? 0 : Buffer.byteLength(text)
  if (over <= 0 && bytes > maxBytes) {
    return {
      message: `The post has ${bytes} bytes in UTF-8. ${displayName} allows ${maxBytes}, whatever the number of characters.`,
      fix: `Shorten it by ${bytes - maxBytes} bytes, or continue in a follow-up.`,
    }
  }
  if (over <= 0) return null
  return {
    message: `The post has ${characters} ${countedAs[characterCounting]}; ${displayName} allows ${maxCharacters}.`,
    fix: `Shorten it by ${over}, or continue in a follow-up.`,
  }
}
