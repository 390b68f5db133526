import type { Refusal } from '../../../edge/operations/refusal.ts'
import { refuseShape } from '../plan/refuse-plan.ts'

type Named = {
  readonly channelId?: string | undefined
  readonly controlToken?: string | undefined
  readonly editToken?: string | undefined
}

/** What of a post a command is about: one channel, or all of it. */
export type Scope =
  | { readonly is: 'channel'; readonly channelId: string; readonly controlToken: string }
  | { readonly is: 'post'; readonly editToken: string }

export function scopeOf({ channelId, controlToken, editToken }: Named): Scope | Refusal<'validation_failed'> {
  const ofChannel = Object.entries({ channelId, controlToken })
  if (editToken !== undefined) {
    const detail =
      'Send either `editToken`, for the whole post, or `channelId` and `controlToken`, for one channel.'
    const besides = ofChannel.filter(([, value]) => value !== undefined)
    if (besides.length === 0) return { is: 'post', editToken }
    return refuseShape(besides.map(([name]) => ({ pointer: `/${name}`, code: 'not_allowed', detail })))
  }
  if (channelId !== undefined && controlToken !== undefined) return { is: 'channel', channelId, controlToken }
  const missing = ofChannel.filter(([, value]) => value === undefined)
  return refuseShape(
    missing.map(([name]) => ({
      pointer: `/${name}`,
      code: 'required',
      detail: `\`${name}\` is missing. One channel needs \`channelId\` and \`controlToken\`, the whole post \`editToken\`.`,
    })),
  )
}
