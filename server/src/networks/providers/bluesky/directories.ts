/** Where identities are looked up. The defaults are the public network's; a network of one's own has its own. */
export type Directories = {
  /** Turns handles into DIDs, by com.atproto.identity.resolveHandle. */
  readonly resolver: string
  /** The PLC directory, which knows each did:plc. */
  readonly plc: string
}
