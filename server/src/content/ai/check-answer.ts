import { type CharacterCounting, Content } from '@postrider/contract'
import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { tagLinks } from '@postrider/contract/names'
import { isInvisible } from '../posts/create/plan-issues.ts'
import { contentOf, partsOf } from '../posts/plan/plan.ts'
import { characterCounter, countCharacters } from '../../networks/providers/shared/characters.ts'
import type { Destination } from './draft-destinations.ts'
import type { DraftTask } from './draft-prompt.ts'
import { canBeIn, type Detector, primaryLanguage } from './written-language.ts'

/** One text with the destinations that it has been checked for. */
export type Draft = { readonly content: Content; readonly destinations: readonly Destination[] }

/** What is wrong, in sentences that a model and a person can act on. */
export type AnswerCheck = { readonly drafts: readonly Draft[] } | { readonly faults: readonly string[] }

const Answer = Type.Object({
  language: Type.Optional(Type.String()),
  variants: Type.Array(
    Type.Object({
      number: Type.Optional(Type.Integer()),
      text: Type.String(),
      thread: Type.Optional(Type.Array(Type.String())),
    }),
  ),
})
type Answer = Static<typeof Answer>

/**
 * Judges what a model wrote, as if anybody had sent it: the shape, the language, and whether a post takes each text,
 * with lengths as the destination counts them. Nothing is changed but white space around a part.
 */
export function checkAnswer(text: string, task: DraftTask, detector: Detector): AnswerCheck {
  const answer = readAnswer(text)
  if (answer === null)
    return { faults: ['The answer is not one JSON object of the form that was asked for.'] }
  const drafts = draftsOf(answer, task)
  if (drafts === null) {
    const count = task.mode === 'shared' ? 1 : task.destinations.length
    return { faults: [`There must be exactly ${count} in "variants", numbered from 1 to ${count}.`] }
  }
  // Before anything is counted: a self-hosted model may answer with any amount.
  if (!drafts.every(({ content }) => Check(Content, content)))
    return { faults: ['A thread has at most 50 parts of at most 100000 characters.'] }
  const count = characterCounter()
  const faults = [
    ...languageFaults(answer, drafts, task.language, detector),
    ...drafts.flatMap((draft) => [
      ...contentFaults(draft.content, task),
      ...draft.destinations.flatMap((destination) =>
        destinationFaults(draft.content, destination, task, count),
      ),
    ]),
  ]
  return faults.length === 0 ? { drafts } : { faults: [...new Set(faults)].slice(0, MAX_FAULTS) }
}

const MAX_FAULTS = 40

/** Models like to put JSON into a fence, or thoughts before it. */
function readAnswer(text: string): Answer | null {
  try {
    const parsed: unknown = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
    return Check(Answer, parsed) ? parsed : null
  } catch {
    // What is no JSON fits no schema, which is all that is asked here.
    return null
  }
}

function draftsOf({ variants }: Answer, { mode, destinations }: DraftTask): Draft[] | null {
  const wanted = mode === 'shared' ? [destinations] : destinations.map((one) => [one])
  if (variants.length !== wanted.length) return null
  const drafts = wanted.map((group, index) => {
    const variant =
      variants.find(({ number }) => number === index + 1) ?? (wanted.length === 1 ? variants[0] : null)
    return variant == null ? null : { content: contentOfVariant(variant), destinations: group }
  })
  return drafts.every((draft) => draft !== null) ? drafts : null
}

function contentOfVariant({ text, thread = [] }: Answer['variants'][number]): Content {
  return contentOf({ text: text.trim(), thread: thread.map((part) => ({ text: part.trim() })) })
}

function languageFaults(
  { language: said }: Answer,
  drafts: readonly Draft[],
  wanted: string,
  detector: Detector,
): string[] {
  const other = said !== undefined && isOtherLanguage(said, wanted)
  const fits = drafts.every(({ content }) => canBeIn(textsOf(content).join('\n'), wanted, detector))
  if (!other && fits) return []
  return [`The text must be in the language ${wanted}${other ? `, not in ${said.slice(0, 35)}` : ''}.`]
}

/** A tag that cannot be read says nothing, and `und` is any language. */
function isOtherLanguage(said: string, wanted: string): boolean {
  const [one, other] = [primaryLanguage(said), primaryLanguage(wanted)]
  return one !== undefined && other !== undefined && ![one, other].includes('und') && one !== other
}

type Count = ReturnType<typeof characterCounter>

const UNSTORABLE = /\0|\p{Surrogate}/u

function contentFaults(content: Content, { result }: DraftTask): string[] {
  const parts = textsOf(content)
  const faults: string[] = []
  if (parts.some(isInvisible)) faults.push('A part has no visible text. Write something, or leave it out.')
  if (result === 'thread' && parts.length < 2)
    faults.push('A thread was asked for: "thread" needs at least one part.')
  if (result !== 'thread' && parts.length > 1) faults.push('No thread was asked for: "thread" must be [].')
  if (parts.some((part) => UNSTORABLE.test(part)))
    faults.push('The text holds characters that cannot be stored.')
  return faults
}

function destinationFaults(
  content: Content,
  destination: Destination,
  task: DraftTask,
  count: Count,
): string[] {
  const parts = textsOf(content)
  return [...lengthFaults(parts, destination, count), ...changeFaults(parts, destination, task, count)]
}

const unit: Record<CharacterCounting, string> = {
  code_points: 'characters',
  graphemes: 'characters',
  x_weighted: 'characters by weight',
  mastodon: 'characters',
  linkedin: 'characters, with their escapes',
  threads: 'characters, emoji as bytes',
}

/** They name the network and not the channel, since a model is told them: the names of channels are not its business. */
function lengthFaults(parts: readonly string[], destination: Destination, count: Count): string[] {
  const { maxCharacters, characterCounting, provider } = destination
  return parts.flatMap((part, index) => {
    const published = publishedAs(part, destination)
    const over = count(published, characterCounting) - maxCharacters
    if (over <= 0) return []
    const which = index === 0 ? 'The text' : `Part ${index + 1} of the thread`
    return [
      `${which} is too long for ${provider}: ${maxCharacters + over} of ${maxCharacters} ${unit[characterCounting]}. Take out at least ${over}.${published === part ? '' : TAGS_COUNT}`,
    ]
  })
}

const TAGS_COUNT = ' Links count with what will be added to them.'

/** The text with what is added to its links. */
function publishedAs(text: string, { linkTags }: Pick<Destination, 'linkTags'>): string {
  return linkTags === null ? text : tagLinks(text, linkTags.rule, linkTags.values)
}

/** What is to be shortened must come out shorter, and what is to be expanded longer, where there is room. */
function changeFaults(
  parts: readonly string[],
  destination: Destination,
  task: DraftTask,
  count: Count,
): string[] {
  const { characterCounting, maxCharacters } = destination
  if (task.currentText === null || (task.result !== 'shorten' && task.result !== 'expand')) return []
  const before = count(task.currentText, characterCounting)
  const now = count(parts.join(' '), characterCounting)
  if (task.result === 'shorten' && now >= before) {
    return [`The text must become shorter than it was: it had ${before} characters and has ${now}.`]
  }
  if (task.result === 'expand' && now <= before && before < maxCharacters) {
    return [`The text must become longer than it was: it had ${before} characters and has ${now}.`]
  }
  return []
}

/** The texts of the parts, in order. */
export function textsOf(content: Content): string[] {
  return partsOf(content).map(({ text }) => text)
}

/** How long the longest part is to the destination. */
export function longestPart({ content }: Draft, destination: Destination): number {
  const { characterCounting } = destination
  return Math.max(
    ...textsOf(content).map((part) => countCharacters(publishedAs(part, destination), characterCounting)),
  )
}
