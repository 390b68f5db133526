import { onFirstUse } from '../../../platform/process/on-first-use.ts'

/** Finding the parts of a text takes longer the more there are of them; what is guessed this far in is guessed at once. */
const LOOKED_AT = 32

/** With its list of 49,000 passwords it takes 25 MB, of a process in which people set passwords. */
const estimator = onFirstUse(async () => {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  return new ZxcvbnFactory({
    dictionary: { passwords: dictionary['passwords-common'] },
    graphs: adjacencyGraphs,
  })
})

/**
 * How many guesses a password takes, as a power of ten, of one who tries known passwords, names that belong to its person, keys in a row,
 * repeats and dates first (zxcvbn).
 */
export async function guessesOf(password: string, about: readonly string[]): Promise<number> {
  const loaded = await estimator.get()
  return loaded.check(password.slice(0, LOOKED_AT), [...about]).guessesLog10
}
