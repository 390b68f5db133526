const SORTABLE = '234567abcdefghijklmnopqrstuvwxyz'

/**
 * A record key for this moment: a TID (https://atproto.com/specs/tid), 53 bits of microseconds and 10 of a clock. What
 * is finer than a millisecond, and the clock, come from the random bits of the intent's UUID: the same for each repeat.
 */
export function tidOf(now: Date, uuid: string): string {
  const random = BigInt(`0x${uuid.replaceAll('-', '').slice(-8)}`)
  const micros = BigInt(now.getTime()) * 1_000n + (random % 1_000n)
  let rest = (micros << 10n) | ((random >> 10n) & 0x3ffn)
  let tid = ''
  for (let place = 0; place < 13; place++) {
    tid = (SORTABLE[Number(rest & 31n)] ?? '') + tid
    rest >>= 5n
  }
  return tid
}
