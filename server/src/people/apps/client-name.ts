/** What a person can tell apart at a glance. */
const NAME_MAX = 100
/**
 * Controls, what turns the direction of writing round or is invisible, line ends, and what has no meaning. Fillers and the blank
 * of Braille count as letters and symbols, and show nothing; what chooses the form of an emoji is taken.
 */
const UNFIT = /[\p{C}\p{Zl}\p{Zp}\u2800[\p{Default_Ignorable_Code_Point}--[\ufe0e\ufe0f]]]/v
/** What is seen by itself, and not only with what stands before it. */
const SEEN = /[\p{L}\p{N}\p{P}\p{S}]/u

/** What is wrong with the name that a client gives itself; null when nothing is. It may give none. */
export function nameFault(name: unknown): string | null {
  if (name === undefined) return null
  if (typeof name !== 'string' || name.trim() === '') return 'client_name must be a text, or left out'
  if (Array.from(name).length > NAME_MAX) return `client_name must have at most ${NAME_MAX} characters`
  if (UNFIT.test(name)) return 'client_name must have no control, format, invisible or unassigned characters'
  return SEEN.test(name) ? null : 'client_name must have something that can be seen'
}

/** The name of a client as it is shown; null when it has none that can be. Clients from before these rules may have any. */
export function shownName(name: string | undefined): string | null {
  const fit = Array.from(name ?? '')
    .filter((character) => !UNFIT.test(character))
    .slice(0, NAME_MAX)
  const shown = fit.join('').trim()
  return SEEN.test(shown) ? shown : null
}
