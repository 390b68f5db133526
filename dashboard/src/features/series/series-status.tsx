import type { SeriesSummary } from '@postrider/contract'
import { Tag } from '../../ui/status.tsx'
import { words } from './words.ts'

const tones = { active: 'green', paused: 'amber', ended: 'gray' } as const

export function SeriesStatus({ status }: Pick<SeriesSummary, 'status'>) {
  return <Tag tone={tones[status]}>{words.statuses[status]}</Tag>
}
