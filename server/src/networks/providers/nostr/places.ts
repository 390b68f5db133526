/** Where accounts are looked up, and where files go that no other server is named for. */
export type NostrPlaces = {
  /** Relays that keep the profiles and relay lists of everybody. */
  readonly directory: readonly string[]
  readonly mediaServer: string
}
