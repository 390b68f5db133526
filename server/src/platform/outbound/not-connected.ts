/** No connection came about, so not one byte of a request has left. */
export class NotConnected extends Error {
  override name = 'NotConnected'
  /** `ADDRESS_REFUSED` by the guard, else the system's or TLS's own code. */
  readonly code: string

  constructor(code: string, cause?: unknown) {
    super(`not connected: ${code}`, { cause })
    this.code = code
  }
}
