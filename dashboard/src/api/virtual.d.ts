declare module 'virtual:operations' {
  /** `METHOD /path` by operation id. */
  export const addresses: Readonly<Record<string, string>>
}
