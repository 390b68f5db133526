/**
 * Thrown in the transaction of a write, which is rolled back, when those it was let in for are no longer what they were
 * then: signed out, removed, or with other rights. The request begins again where it is decided who is let in.
 */
export class ChangedMeanwhile extends Error {
  override name = 'ChangedMeanwhile'

  constructor() {
    super('what the caller may do changed after the request was let in')
  }
}

const TRIES = 5

/**
 * Runs something again, after `again` has let its caller in once more, for as long as it finds that they have changed.
 * `again` gives null where it has refused them.
 */
export async function whileAuthenticated<Who, Result>(
  first: Who,
  run: (who: Who) => Promise<Result>,
  again: () => Promise<Who | null>,
): Promise<Result | null> {
  let who: Who | null = first
  for (let tries = 1; who !== null; tries++) {
    try {
      return await run(who)
    } catch (fault) {
      if (!(fault instanceof ChangedMeanwhile) || tries === TRIES) throw fault
      who = await again()
    }
  }
  return null
}
