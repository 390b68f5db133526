import { CredentialLimitsInput, type Permission } from '@postrider/contract'
import { Errors } from 'typebox/value'
import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import type { PageRequest } from '../pages/page-kit.ts'

/** What stands in the form of the consent page, as it is shown and sent. Numbers are what was typed. */
export type ConsentForm = {
  readonly workspaceId: string
  readonly permissions: readonly string[]
  /** Those that are ticked, of whichever workspace. */
  readonly channelIds: readonly string[]
  readonly postsPerDay: string
  readonly daysAhead: string
  readonly draftsOnly: boolean
  readonly days: string
}

/** For how many days a person can let a client in. */
export const consentDays = [7, 30, 90, 365] as const

/** How long access lasts unless a person chooses otherwise: who grants it for longer does so on purpose. */
const USUAL = 30

/** The form as a person first sees it: what is asked for and no more, for a month. */
export function untouchedForm(workspaceId: string, permissions: readonly Permission[]): ConsentForm {
  const unlimited = { channelIds: [], postsPerDay: '', daysAhead: '', draftsOnly: false }
  return { workspaceId, permissions, ...unlimited, days: String(USUAL) }
}

/** What was filled in. */
export function readConsentForm({ field, fields }: Pick<PageRequest, 'field' | 'fields'>): ConsentForm {
  const text = (name: string) => field(name).trim()
  return {
    workspaceId: text('workspaceId'),
    permissions: fields('permission'),
    channelIds: fields('channelId'),
    postsPerDay: text('postsPerDay'),
    daysAhead: text('daysAhead'),
    draftsOnly: text('draftsOnly') !== '',
    days: text('days') === '' ? String(USUAL) : text('days'),
  }
}

const rules: Record<string, string> = {
  postsPerDay: 'Posts a day: give a whole number from 1 to 100,000, or leave it empty.',
  publishWithinHours: 'Days ahead: give a number above 0 and up to 3,650, or leave it empty.',
  channelIds: 'Channels: tick at most 100 of those that are listed.',
}

/** The limits as a request about an agent key would have them, and for how many days; checked by the same schema. */
export function readNarrowing(
  form: ConsentForm,
): { limits: CredentialLimitsInput; days: number } | Refusal<'validation_failed'> {
  const { channelIds, postsPerDay, daysAhead, draftsOnly } = form
  const limits = {
    ...(channelIds.length === 0 ? {} : { channelIds: [...channelIds] }),
    ...(postsPerDay === '' ? {} : { postsPerDay: Number(postsPerDay) }),
    ...(daysAhead === '' ? {} : { publishWithinHours: Number(daysAhead) * 24 }),
    draftsOnly,
  }
  const [error] = Errors(CredentialLimitsInput, limits)
  if (error !== undefined) {
    const [, field = ''] = error.instancePath.split('/')
    return refuse('validation_failed', rules[field] ?? `${field} ${error.message}.`)
  }
  const days = consentDays.find((each) => String(each) === form.days)
  return days === undefined
    ? refuse('validation_failed', `For how long: choose one of ${consentDays.join(', ')} days.`)
    : { limits, days }
}
