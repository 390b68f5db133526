import type { Series } from '@postrider/contract'

/** A text of a series, and which channel it is for where each has its own. */
export type SeriesText = { readonly text: string; readonly channelId: string | null }

type Content = Pick<Series, 'text' | 'contents' | 'targets' | 'channelIds'>

/** One text; or one for each turn; or one for each channel. */
export function textsOf({ text = '', contents, targets }: Content): SeriesText[] {
  if (contents !== undefined) return contents.map((one) => ({ text: one.text, channelId: null }))
  if (targets === undefined) return [{ text, channelId: null }]
  return targets.map((one) => ({ text: one.text ?? text, channelId: one.channelId }))
}

/** The channels and groups of a series, as it names them. */
export function channelsOf({ channelIds, targets = [] }: Content): readonly string[] {
  return channelIds ?? targets.map(({ channelId }) => channelId)
}

/** The texts that a series on these channels has: where each has its own, a new one begins with the first. */
export function textsOn(series: Content, channelIds: readonly string[]): SeriesText[] {
  const texts = textsOf(series)
  if (series.targets === undefined) return texts
  return channelIds.map((channelId) => ({
    channelId,
    text: (texts.find((one) => one.channelId === channelId) ?? texts[0])?.text ?? '',
  }))
}

type Change = Pick<Content, 'text' | 'contents' | 'targets' | 'channelIds'>

/** What is other of its texts and channels than it was, as an edit takes it; `typed` are those of `textsOn`. */
export function contentChange(
  series: Content,
  channelIds: readonly string[],
  typed: readonly string[],
): Change {
  const before = channelsOf(series)
  const isElsewhere = before.length !== channelIds.length || channelIds.some((id) => !before.includes(id))
  const isReworded = textsOn(series, channelIds).some(({ text }, at) => text !== typed[at])
  const { targets, contents } = series
  if (targets !== undefined) {
    if (!isElsewhere && !isReworded) return {}
    return {
      targets: channelIds.map((channelId, at) => ({
        ...targets.find((one) => one.channelId === channelId),
        channelId,
        text: typed[at] ?? '',
      })),
    }
  }
  const text =
    contents === undefined
      ? { text: typed[0] ?? '' }
      : { contents: contents.map((one, at) => ({ ...one, text: typed[at] ?? '' })) }
  return { ...(isElsewhere ? { channelIds: [...channelIds] } : {}), ...(isReworded ? text : {}) }
}
