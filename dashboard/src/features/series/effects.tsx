import type { Series } from '@postrider/contract'
import { listNames } from '../../lib/list-names.ts'
import { sentence } from '../../terms/problem-words.ts'
import { Notice } from '../../ui/states.tsx'
import { showDate } from './rule.ts'
import { words } from './words.ts'

type EffectsProps = {
  of: Series
  /** Whether it is only foretold. */
  isAhead?: boolean
}

/** What a change did, or will do, to posts that are there. */
export function Effects({ of: { effects = [], status }, isAhead = false }: EffectsProps) {
  const cancelled = effects.filter(({ effect }) => effect === 'cancelled')
  const days = listNames(
    cancelled.map(({ date }) => showDate(date)),
    cancelled.length,
  )
  const says = isAhead ? words.willDo : words.did
  return (
    <Notice>
      <p>
        <strong>{says.effects}</strong>
      </p>
      {effects.length === 0 ? <p>{says.noEffects}</p> : null}
      {cancelled.length === 0 ? null : (
        <p>{status === 'active' ? says.cancelled(days) : says.cancelledOnly(days)}</p>
      )}
      {effects.map(({ date, effect, reason }) =>
        effect === 'kept' ? <p key={date}>{says.kept(showDate(date), sentence(reason ?? ''))}</p> : null,
      )}
    </Notice>
  )
}
