import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { text as readAll } from 'node:stream/consumers'
import { Postrider } from '@postrider/sdk'
import { type Context, isSet, textOf } from '../command.ts'
import {
  credentialsPath,
  DEFAULT_SERVER,
  readCredentials,
  serverAddress,
  whileLocked,
  writeCredentials,
} from '../credentials.ts'
import { CliError, exits, usageError } from '../exits.ts'
import type { Login } from '../login.ts'
import {
  askForCode,
  awaitDecision,
  discover,
  exchangeCode,
  newProof,
  register,
  resourceFor,
  USES,
} from '../oauth.ts'

/** `postrider login` */
export async function run(context: Context): Promise<void> {
  const { args, values, env, signal, answer } = context
  const named = serverAddress(args[0] ?? textOf(values, 'server') ?? (env['POSTRIDER_URL'] || DEFAULT_SERVER))
  // A file that others can read is refused before anything is put into it.
  const path = credentialsPath(env)
  readCredentials(path)
  if (isSet(values, 'key') && isSet(values, 'device')) throw usageError('Give --key or --device, not both.')
  const { server, login } = isSet(values, 'key')
    ? { server: named, login: await keyLogin() }
    : isSet(values, 'device')
      ? await deviceLogin(context, named)
      : await browserLogin(context, named)
  const key = login.kind === 'key' ? login.key : login.accessToken
  const me = await new Postrider({ baseUrl: server, key }).me({ signal })
  await whileLocked(path, () => {
    const { logins } = readCredentials(path)
    writeCredentials(path, { server, logins: { ...logins, [server]: login } })
  })
  answer(
    { server, workspace: me.workspace, credential: me.credential },
    `Logged in to ${server}, workspace ${me.workspace.name}, as ${me.user.name}.`,
  )
}

async function keyLogin(): Promise<Login> {
  const key = (await readAll(process.stdin)).trim()
  if (!/^[\x21-\x7e]{8,}$/.test(key))
    throw usageError('Give the key on standard input: `postrider login <address> --key < key.txt`.')
  return { kind: 'key', key }
}

function programName(): string {
  return `Postrider CLI on ${hostname()}`.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 100)
}

/** Has a person decide in a browser on whatever device, by a code that they enter there (RFC 8628). */
async function deviceLogin(
  { note, signal }: Context,
  named: string,
): Promise<{ server: string; login: Login }> {
  const found = await discover(named)
  const clientId = await register(found, { name: programName(), redirectUri: null })
  const code = await askForCode(found, clientId)
  const { page, userCode, expiresInSeconds } = code
  const minutes = Math.round(expiresInSeconds / 60)
  note(
    `Open ${page} in a browser, on any device, and enter this code there:\n\n  ${userCode}\n\nIt is good for ${minutes} minutes. Waiting …`,
    { page, userCode, expiresInSeconds },
  )
  return { server: found.baseUrl, login: await awaitDecision(found, clientId, code, signal) }
}

/** Has a person decide in the browser, which brings the answer to an address of this machine (RFC 8252). */
async function browserLogin(
  { values, env, note, signal }: Context,
  named: string,
): Promise<{ server: string; login: Login }> {
  const found = await discover(named)
  const proof = newProof()
  const back = await openLoopback(proof.state, found.issuer, signal)
  try {
    const clientId = await register(found, { name: programName(), redirectUri: back.url })
    const address = new URL(found.authorizationUrl)
    for (const [name, value] of Object.entries({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: back.url,
      state: proof.state,
      code_challenge: proof.challenge,
      code_challenge_method: 'S256',
    }))
      address.searchParams.set(name, value)
    for (const use of USES) address.searchParams.append('resource', resourceFor(use, found.resource))
    note(`Open this address, and allow it there:\n\n  ${address.href}\n\nWaiting …`)
    if (!isSet(values, 'no-browser')) openBrowser(address.href, env)
    const code = await back.code
    const login = await exchangeCode(found, {
      clientId,
      code,
      verifier: proof.verifier,
      redirectUri: back.url,
    })
    return { server: found.baseUrl, login }
  } finally {
    back.close()
  }
}

const PAGE = (text: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Postrider</title><body style="font:1rem system-ui;margin:4rem auto;max-width:30rem"><p>${text}</p>`

/** A page of this machine that the browser is sent back to, once. */
async function openLoopback(state: string, issuer: string, signal: AbortSignal) {
  let resolve: (code: string) => void = () => undefined
  let reject: (reason: Error) => void = () => undefined
  const code = new Promise<string>((resolved, rejected) => {
    resolve = resolved
    reject = rejected
  })
  // Whoever waits hears of it.
  code.catch(() => undefined)
  const server = createServer((request, response) => {
    const address = URL.parse(request.url ?? '/', url)
    const answered = (status: number, text: string) =>
      response
        .writeHead(status, { 'content-type': 'text/html; charset=utf-8', connection: 'close' })
        .end(PAGE(text))
    // Pages of others can send a browser here, too: without the state of this login it is none of ours, nor by another name.
    const isOurs =
      request.method === 'GET' &&
      request.headers.host === new URL(url).host &&
      address?.origin === new URL(url).origin &&
      address.pathname === '/callback' &&
      address.searchParams.get('state') === state
    if (!isOurs) return answered(404, 'Not found.')
    const { searchParams } = address
    const [given, error] = [searchParams.get('code'), searchParams.get('error')]
    if (given === null || searchParams.get('iss') !== issuer) {
      answered(200, 'You are not logged in. You can close this page.')
      const said = searchParams.get('error_description') ?? error ?? 'the answer was not the server’s'
      return reject(new CliError(exits.credential, `The login was not allowed: ${said}`))
    }
    answered(200, 'You are logged in. You can close this page, and go back to the terminal.')
    return resolve(given)
  })
  signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/callback`
  return {
    code,
    url,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Opens the address, if there is a browser; else it is printed anyway. A browser lives on: it is told nothing that proves who called this. */
export function openBrowser(address: string, env: Context['env']): void {
  const opener =
    env['BROWSER'] ?? { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open'
  const plain = Object.entries(env).filter(([name]) => !name.startsWith('POSTRIDER_'))
  spawn(opener, [address], { stdio: 'ignore', detached: true, env: Object.fromEntries(plain) })
    .on('error', () => undefined)
    .unref()
}
