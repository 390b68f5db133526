import { type Content, type ContentChange, partNames } from '@postrider/contract'
import type { Refusal } from '../../../edge/operations/refusal.ts'
import { partsOf } from '../plan/plan.ts'
import type { FieldError } from '../plan/publish-time.ts'
import { refuseShape } from '../plan/refuse-plan.ts'

/** A change, where it stands in the request, and what it changes on each channel. */
type Change = {
  readonly change: ContentChange
  readonly pointer: string
  readonly contents: readonly Content[]
}

/** What the schema cannot say of `parts`: each names another part, which every channel that it is for has. */
export function refuseParts(changes: readonly Change[]): Refusal<'validation_failed'> | null {
  const errors = changes.flatMap(partErrors)
  return errors.length === 0 ? null : refuseShape(errors)
}

function partErrors({ change, pointer, contents }: Change): FieldError[] {
  const { parts } = change
  if (parts === undefined) return []
  const besides = partNames.filter((name) => change[name] !== undefined)
  const fewest = Math.min(...contents.map((content) => partsOf(content).length))
  return [
    ...besides.map((name) => ({
      pointer: `${pointer}/${name}`,
      code: 'not_allowed',
      detail: `\`${name}\` is not allowed beside \`parts\`: part 0 is the text, those of the thread follow, then the first comment.`,
    })),
    ...parts.flatMap(({ index, mediaIds: media }, place): FieldError[] => {
      const at = `${pointer}/parts/${place}/index`
      if (parts.findIndex((one) => one.index === index) < place)
        return [{ pointer: at, code: 'duplicate', detail: `Part ${index} is named twice.` }]
      const isComment = contents.some((content) => partsOf(content)[index]?.firstComment)
      if (isComment && media !== undefined) {
        const detail = `Part ${index} is a first comment, which has no media.`
        return [{ pointer: `${pointer}/parts/${place}/mediaIds`, code: 'not_allowed', detail }]
      }
      if (index < fewest) return []
      const detail = `There is no part ${index} on every channel of the post: the fewest have ${fewest}. Name channels in \`targets\`, or send the whole \`thread\`.`
      return [{ pointer: at, code: 'unknown_part', detail }]
    }),
  ]
}
