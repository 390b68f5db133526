import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { createSecureContext, getCACertificates } from 'node:tls'
import { buildConnector } from 'undici'
import { NotConnected } from './not-connected.ts'
import { isReachable, isTrusted, literalOf, normalAddress, type TargetRules } from './outbound-guard.ts'
import { resolveName, type ResolveOptions } from './resolve-name.ts'

export type ConnectOptions = ResolveOptions & {
  /** Name look-up, TCP and TLS together. */
  readonly connectMs: number
  readonly rules: TargetRules
  /** PEM certificates that are trusted beside the system's. */
  readonly extraCa?: string
}

/**
 * A connector for undici that opens connections to permitted addresses only. The name is resolved here, once,
 * every address is checked (one forbidden among them refuses all), and the connection is pinned to those:
 * a name that changes its mind between check and connect gains nothing. A check before the request alone was
 * beaten by rebinding; and undici never calls a look-up for literals, so those are checked by themselves.
 */
export function guardedConnector(options: ConnectOptions): buildConnector.connector {
  const { connectMs, rules } = options
  const common = {
    timeout: connectMs,
    allowH2: false,
    ...(options.extraCa === undefined
      ? {}
      : { secureContext: createSecureContext({ ca: [...getCACertificates('default'), options.extraCa] }) }),
  }
  const connectTrusted = buildConnector({ ...common, lookup: systemLookup })

  return (target, callback) => {
    const refuse = (code: string, cause?: unknown) => callback(new NotConnected(code, cause), null)
    const settle: buildConnector.Callback = (...[failure, socket]) =>
      failure === null ? callback(null, socket) : refuse(reasonOf(failure), failure)

    if (isTrusted(originOf(target), rules)) {
      connectTrusted(target, settle)
      return
    }
    void permittedAddresses(target.hostname, options).then((permitted) => {
      if (permitted.refused !== null) {
        refuse(permitted.refused)
        return
      }
      const { addresses, leftMs } = permitted
      const connect = buildConnector({ ...common, timeout: leftMs, lookup: lookupIn(addresses) })
      connect(target, (...[failure, socket]) => {
        if (failure === null && !isPinned(socket, addresses)) {
          socket.destroy()
          refuse('ADDRESS_REFUSED')
        } else if (failure === null) callback(null, socket)
        else settle(failure, null)
      })
    })
  }
}

type Permitted =
  | { readonly refused: null; readonly addresses: readonly string[]; readonly leftMs: number }
  | { readonly refused: string }

async function permittedAddresses(hostname: string, options: ConnectOptions): Promise<Permitted> {
  const begun = performance.now()
  const literal = literalOf(hostname)
  try {
    const addresses =
      literal === null
        ? await resolveName(hostname, AbortSignal.timeout(options.connectMs), options)
        : [literal]
    if (!addresses.every((address) => isReachable(address, options.rules)))
      return { refused: 'ADDRESS_REFUSED' }
    const leftMs = Math.max(1, Math.ceil(options.connectMs - (performance.now() - begun)))
    return { refused: null, addresses, leftMs }
  } catch (failure) {
    return { refused: reasonOf(failure) }
  }
}

/** Answers with the checked addresses, whatever name is asked for. */
function lookupIn(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  const [first] = found
  return (_hostname, { all }, callback) => {
    if (first === undefined) callback(new NotConnected('ENODATA'), '')
    else if (all === true) callback(null, found)
    else callback(null, first.address, first.family)
  }
}

function isPinned(socket: Socket, addresses: readonly string[]): boolean {
  const remote = socket.remoteAddress
  return remote !== undefined && addresses.map(normalAddress).includes(normalAddress(remote))
}

function originOf({ protocol, host, hostname, port }: buildConnector.Options): string {
  return new URL(`${protocol}//${host ?? (port === '' ? hostname : `${hostname}:${port}`)}`).origin
}

/** The code of a failure; of several addresses tried, that of the first. */
function reasonOf(failure: unknown): string {
  const [cause] = failure instanceof AggregateError ? (failure.errors as unknown[]) : [failure]
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' ? code : 'UNKNOWN'
}
