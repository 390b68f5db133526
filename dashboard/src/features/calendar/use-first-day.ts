import { useSession } from '../../session.tsx'
import { firstDayOf } from './shown.ts'

/** 1 for Monday to 7 for Sunday. */
export function useFirstDay(): number {
  return firstDayOf(useSession().me.preferences)
}
