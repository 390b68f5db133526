/**
 * Options that are numbers, at least 0 where they are given. Throws a TypeError that names the one that is not: with a `NaN`, which is what
 * becomes of a variable that is not set, no comparison would ever hold.
 */
export function checkNumbers(options: Readonly<Record<string, number | undefined>>): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
      throw new TypeError(
        `${name} must be a number of at least 0, not ${JSON.stringify(value) ?? typeof value}.`,
      )
  }
}
