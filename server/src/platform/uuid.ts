const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Lower case only: an id has one spelling, so that ids can be compared as text. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}
