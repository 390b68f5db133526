import { useSession } from '../../session.tsx'

const firstDays = { monday: 1, saturday: 6, sunday: 7 } as const

type WithWeek = Intl.Locale & { getWeekInfo?: () => { firstDay: number }; weekInfo?: { firstDay: number } }

/** 1 for Monday to 7 for Sunday, as the person has it, else their language. Where that says nothing, it is Monday. */
export function useFirstDay(): number {
  const { weekStart } = useSession().me.preferences
  if (weekStart !== null) return firstDays[weekStart]
  const browser: WithWeek = new Intl.Locale(navigator.language)
  return (browser.getWeekInfo?.() ?? browser.weekInfo)?.firstDay ?? 1
}
