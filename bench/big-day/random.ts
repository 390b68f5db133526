export type Random = {
  /** From 0 up to but without 1. */
  readonly uniform: () => number
  /** Of the standard normal distribution. */
  readonly normal: () => number
}

/** The same numbers for the same seed, on every machine: SplitMix32. */
export function random(seed: number): Random {
  let state = seed | 0
  const uniform = () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
  return {
    uniform,
    // Box and Muller; 1 - u is never 0.
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
  }
}
