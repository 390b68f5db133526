/** What a promise is rejected with; null when it is not. */
export async function failureOf(work: PromiseLike<unknown>): Promise<unknown> {
  try {
    await work
    return null
  } catch (error) {
    return error
  }
}
