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
  type Login,
  readCredentials,
  serverAddress,
  whileLocked,
  writeCredentials,
} from '../credentials.ts'
import { CliError, exits, usageError } from '../exits.ts'
import { discover, exchangeCode, newProof, register } from '../oauth.ts'

/** `postrider login` */
export async function run(context: Context): Promise<void> {
  const { args, values, env, signal, answer } = context
  const named = serverAddress(args[0] ?? textOf(values, 'server') ?? (env['POSTRIDER_URL'] || DEFAULT_SERVER))
  // A file that others can read is refused before anything is put into it.
  const path = credentialsPath(env)
  readCredentials(path)
  const { server, login } = isSet(values, 'key')
    ? { server: named, login: await keyLogin() }
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

/** Has a person decide in the browser, which brings the answer to an address of this machine (RFC 8252). */
async function browserLogin(
  { values, env, note, signal }: Context,
  named: string,
): Promise<{ server: string; login: Login }> {
  const found = await discover(named)
  const proof = newProof()
  const back = await openLoopback(proof.state, found.issuer, signal)
  try {
    const name = `Postrider CLI on ${hostname()}`.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 100)
    const clientId = await register(found, { name, redirectUri: back.url })
    const address = new URL(found.authorizationUrl)
    for (const [name, value] of Object.entries({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: back.url,
      resource: found.resource,
      state: proof.state,
      code_challenge: proof.challenge,
      code_challenge_method: 'S256',
    }))
      address.searchParams.set(name, value)
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
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const answered = (status: number, text: string) =>
      response
        .writeHead(status, { 'content-type': 'text/html; charset=utf-8', connection: 'close' })
        .end(PAGE(text))
    // Pages of others can send a browser here, too: without the state of this login it is none of ours.
    if (pathname !== '/callback' || searchParams.get('state') !== state) return answered(404, 'Not found.')
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
  return {
    code,
    url: `http://127.0.0.1:${port}/callback`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

function openBrowser(address: string, env: Context['env']): void {
  const opener =
    env['BROWSER'] ?? { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open'
  // Where there is none, the address is printed.
  spawn(opener, [address], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref()
}
