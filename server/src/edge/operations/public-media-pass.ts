/** What an address at which a network fetches media stands for: one file, in one form, for one destination. */
export type PublicMediaPass = {
  readonly workspaceId: string
  readonly destinationId: string
  readonly mediaId: string
  /** What the form keeps within; null for the file as it is kept. */
  readonly bounds: {
    readonly contentTypes: readonly string[]
    readonly maxBytes: number
    readonly maxWidth: number | null
    readonly maxHeight: number | null
  } | null
  readonly expiresAt: Date
}

/** Where these addresses are, below the address of the server. */
export const PUBLIC_MEDIA_PATH = '/public-media'
