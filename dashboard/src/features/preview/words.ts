import { german } from '../../lib/language.ts'

/* What is said of a post as networks show it. */

const en = {
  fold: '… more',
  folded: (network: string) => `About here, ${network} hides the rest behind a click.`,
  card: (host: string) => `Link card of ${host}`,
  cardBy: (network: string) => `Title and image are read from the page when this is published on ${network}.`,
  markdown: (network: string) =>
    `${network} shows * and _ around words, and # or > before a line, as formatting.`,
  tooWide: (network: string, ratio: string) =>
    `In its feed, ${network} usually cuts the sides of images wider than ${ratio}.`,
  tooTall: (network: string, ratio: string) =>
    `In its feed, ${network} usually cuts top and bottom of images taller than ${ratio}.`,
  count: (characters: number, max: number) =>
    `${characters.toLocaleString()} of ${max.toLocaleString()} characters`,
  aboutCount: (characters: number, max: number) =>
    `About ${characters.toLocaleString()} of ${max.toLocaleString()} characters`,
}
export type Words = typeof en

export const words: Words = german?.preview ?? en
