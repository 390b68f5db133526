import type { Content, PostPlan } from '@postrider/contract'
import { fieldsOfTexts, filledLength, fillText } from '@postrider/contract/names'
import { refuse, type Refusal, type RefusalFacts } from '../../edge/operations/refusal.ts'
import type { Caller } from '../../edge/operations/route.ts'
import type { Sql } from '../../platform/postgres/db.ts'
import { escapePointer } from '../../platform/text/json-pointer.ts'
import { findTemplate } from './template-store.ts'
import { textsOf } from './views.ts'

/** What a text may have, as its schema says. */
const MOST_CHARACTERS = 100_000

type Fields = Readonly<Record<string, string>>
type Errors = NonNullable<RefusalFacts['errors']>

export type FilledPlan<P> = {
  readonly plan: Omit<P, 'template'>
  /** Where in the request something stands that is said of the plan. */
  readonly placeOf: (pointer: string) => string
}

/**
 * The plan that a request with a template means: what stands beside the template takes the place of what that says. Each field of
 * the rest is given, and no other.
 */
export async function fillPlan<P extends PostPlan>(
  sql: Sql,
  { workspaceId, credential }: Pick<Caller, 'workspaceId' | 'credential'>,
  { template, ...plan }: P & { readonly template: NonNullable<P['template']> },
): Promise<FilledPlan<P> | Refusal<'validation_failed'>> {
  const { templateId, fields = {} } = template
  const row = await findTemplate(sql, { workspaceId, templateId }, credential.limits)
  if (row === null) {
    const detail = `The workspace has no template ${templateId}. \`GET /agent/v1/templates\` lists them.`
    return refuseErrors([{ pointer: '/template/templateId', code: 'template_unknown', detail }])
  }
  const { channelIds, labels } = row
  const said = { ...row.content, labels, ...(channelIds.length === 0 ? {} : { channelIds }) }
  const kept = Object.fromEntries(
    Object.entries(said).filter(([name]) => !(name in plan)),
  ) as Partial<Content>
  const errors = [...refuseTargets(plan), ...fieldErrors(kept, row.content, row.name, fields)]
  if (errors.length > 0) return refuseErrors(errors)
  if (textsOf(kept).some(({ text }) => filledLength(text, fields) > MOST_CHARACTERS)) {
    const detail = `With these values, a text has more than ${MOST_CHARACTERS} characters. Give shorter ones.`
    return refuseErrors([{ pointer: '/template/fields', code: 'too_long', detail }])
  }
  return {
    plan: { ...fillContent(kept, fields), ...plan },
    placeOf: (pointer) => ((pointer.split('/')[1] ?? 'text') in kept ? '/template' : pointer),
  }
}

function refuseErrors(errors: Errors): Refusal<'validation_failed'> {
  return refuse('validation_failed', errors[0]?.detail ?? '', { errors })
}

function refuseTargets(plan: object): Errors {
  const detail =
    '`targets` is not allowed beside `template`: each target carries its own content. Give `channelIds`.'
  return 'targets' in plan ? [{ pointer: '/targets', code: 'not_allowed', detail }] : []
}

function fieldsIn(content: Partial<Content>): string[] {
  return fieldsOfTexts(textsOf(content).map(({ text }) => text))
}

/** `content` is what is left of the template beside what the request says itself; `whole` is all of it. */
function fieldErrors(
  content: Partial<Content>,
  whole: Partial<Content>,
  name: string,
  given: Fields,
): Errors {
  const [wanted, all] = [fieldsIn(content), fieldsIn(whole)]
  const missing = wanted
    .filter((field) => !Object.hasOwn(given, field))
    .map((field) => ({
      pointer: at(field),
      code: 'required',
      detail: `The template “${name}” has the field \`${field}\`. Give its value.`,
    }))
  const list = wanted.map((field) => `\`${field}\``).join(', ')
  const unknown = Object.keys(given)
    .filter((field) => !wanted.includes(field))
    .map((field) => ({
      pointer: at(field),
      code: 'unknown_field',
      detail: all.includes(field)
        ? `The field \`${field}\` is only in texts of the template “${name}” that this request replaces. Leave the field out, or your own text.`
        : list === ''
          ? `The template “${name}” has no fields.`
          : `The template “${name}” has no field \`${field}\`. It has ${list}.`,
    }))
  return [...missing, ...unknown]
}

function at(field: string): string {
  return `/template/fields/${escapePointer(field)}`
}

function fillContent(content: Partial<Content>, fields: Fields): Partial<Content> {
  const { text, thread, firstComment } = content
  return {
    ...content,
    ...(text === undefined ? {} : { text: fillText(text, fields) }),
    ...(thread === undefined
      ? {}
      : { thread: thread.map((part) => ({ ...part, text: fillText(part.text, fields) })) }),
    ...(firstComment === undefined ? {} : { firstComment: { text: fillText(firstComment.text, fields) } }),
  }
}
