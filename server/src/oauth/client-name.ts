/** What a person can tell apart at a glance. */
const NAME_MAX = 100
/** Controls, what turns the direction of writing round or is invisible, line ends, and what has no meaning. */
const UNFIT = /[\p{C}\p{Zl}\p{Zp}]/u

/** What is wrong with the name that a client gives itself; null when nothing is. It may give none. */
export function nameFault(name: unknown): string | null {
  if (name === undefined) return null
  if (typeof name !== 'string' || name.trim() === '') return 'client_name must be a text, or left out'
  if (Array.from(name).length > NAME_MAX) return `client_name must have at most ${NAME_MAX} characters`
  return UNFIT.test(name) ? 'client_name must have no control, format or unassigned characters' : null
}

/** The name of a client as it is shown; null when it has none that can be. Clients from before these rules may have any. */
export function shownName(name: string | undefined): string | null {
  const fit = Array.from(name ?? '')
    .filter((character) => !UNFIT.test(character))
    .slice(0, NAME_MAX)
  const shown = fit.join('').trim()
  return shown === '' ? null : shown
}
