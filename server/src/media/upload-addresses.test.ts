import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { aWorkspace } from '../../test/rigs/fixtures.ts'
import { openMcpClient } from '../../test/rigs/mcp-client.ts'
import { aPhoto } from '../../test/rigs/media-files.ts'
import { openApiJudge } from '../../test/rigs/openapi-judge.ts'
import { aKey, openRunningApp, type RunningApp } from '../../test/rigs/running-app.ts'
import { revokeKey } from '../people/keys/key-store.ts'
import { uploadAddresses } from './upload-addresses.ts'

let app: RunningApp
let photo: Buffer
beforeAll(async () => {
  app = await openRunningApp()
  photo = await aPhoto()
})
afterAll(() => app[Symbol.asyncDispose]())

let keys = 0
const aNewKey = () => `handed-over-${++keys}`

async function ask(idempotencyKey = aNewKey(), { key = app.key, altText = 'A rider.' } = {}) {
  const body = { confirmed: true, idempotencyKey, altText }
  const answer = await app.ask('POST', '/agent/v1/media/uploads', { key, body })
  expect(answer.status).toBe(201)
  openApiJudge().judge('createUploadAddress', 201, answer.body)
  return answer.body
}

type Sent = { readonly method?: 'PUT' | 'POST'; readonly headers?: Record<string, string> }

async function send(url: string, bytes: Buffer, sent: Sent = {}) {
  const answer = await fetch(url, { method: 'PUT', body: bytes as never, ...sent })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: JSON.parse(text) }
}

describe('an address for one upload', () => {
  test.each(['PUT', 'POST'] as const)('takes the bytes by %s, without a credential', async (method) => {
    const key = aNewKey()
    const { uploadUrl, expiresAt, maxBytes, media } = await ask(key)
    expect(media).toBeNull()
    expect(maxBytes.image).toBe(25_000_000)
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(14 * 60_000)

    const made = await send(uploadUrl, photo, { method })
    expect(made).toMatchObject({ status: 201, body: { kind: 'image', altText: 'A rider.' } })
    expect((await app.ask('GET', `/agent/v1/media/${made.body.mediaId}`)).body).toEqual(made.body)
    // Who asks again is told what was uploaded.
    expect((await ask(key)).media).toEqual(made.body)
  })

  test('takes one file: the same again gets the first answer, another one is refused', async () => {
    const key = aNewKey()
    const { uploadUrl } = await ask(key)
    const [first, second] = [await send(uploadUrl, photo), await send(uploadUrl, photo)]
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('idempotent-replayed')).toBe('true')

    const another = await send(uploadUrl, await aPhoto(40, 30))
    expect(another).toMatchObject({ status: 410, body: { code: 'link_not_valid' } })
    const renewed = await ask(key)
    expect((await send(renewed.uploadUrl, photo)).body).toEqual(first.body)
    const acts = await app.db`
      select from audit_entry
      where  action = 'uploadMedia' and subject ->> 'mediaId' = ${first.body.mediaId}`
    expect(acts).toHaveLength(1)
  })

  test('is the upload of the same key over HTTP', async () => {
    const key = aNewKey()
    const { uploadUrl } = await ask(key)
    const made = await send(uploadUrl, photo)
    const form = new FormData()
    form.set('confirmed', 'true')
    form.set('altText', 'A rider.')
    form.set('file', new Blob([new Uint8Array(photo)]))
    const headers = { authorization: `Bearer ${app.key}`, 'idempotency-key': key }
    const again = await fetch(`${app.baseUrl}/agent/v1/media`, { method: 'POST', headers, body: form })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await again.json()).toEqual(made.body)
  })

  test('ends with the credential that asked for it', async () => {
    const { workspaceId, memberId } = app.workspace
    const key = await aKey(app.db, { workspaceId, memberId })
    const { uploadUrl } = await ask(aNewKey(), { key })
    const [made] = await app.db<{ keyId: string }[]>`
      select id as "keyId" from agent_key where workspace_id = ${workspaceId} order by id desc limit 1`
    await revokeKey(app.db, workspaceId, made!.keyId)
    expect(await send(uploadUrl, photo)).toMatchObject({ status: 410, body: { code: 'link_not_valid' } })
  })

  test('ends with the grant of an app, too', async () => {
    const { workspaceId, memberId } = app.workspace
    const [grantId, scope] = [uuidv7(), ['media:write']]
    await app.db`
      insert into oauth_grant (workspace_id, id, member_id, grant_hash, client_id, client_name, client_origin, permissions)
      values (${workspaceId}, ${grantId}, ${memberId}, ${randomBytes(32)}, 'c', 'An app', 'app.example', ${scope})`
    const credential = { id: grantId, type: 'oauth' } as const
    const expiresAt = new Date(Date.now() + 60_000)
    const pass = { workspaceId, credential, key: aNewKey(), altText: null, expiresAt }
    const uploadUrl = uploadAddresses(app.keyring, app.baseUrl).make(pass)
    expect((await send(uploadUrl, photo)).status).toBe(201)
    await app.db`update oauth_grant set revoked_at = now() where id = ${grantId}`
    expect(await send(uploadUrl, photo)).toMatchObject({ status: 410, body: { code: 'link_not_valid' } })
  })

  test('and with its permission', async () => {
    const { workspaceId, memberId } = app.workspace
    const key = await aKey(app.db, { workspaceId, memberId })
    const { uploadUrl } = await ask(aNewKey(), { key })
    await app.db`
      update agent_key set permissions = array['posts:read']
      where  id = (select id from agent_key where workspace_id = ${workspaceId} order by id desc limit 1)`
    expect(await send(uploadUrl, photo)).toMatchObject({ status: 403, body: { code: 'missing_permission' } })
  })

  test('is of use in its workspace alone', async () => {
    const other = await aWorkspace(app.db)
    const key = await aKey(app.db, other)
    const { uploadUrl } = await ask(aNewKey(), { key })
    const { body } = await send(uploadUrl, photo)
    expect((await app.ask('GET', `/agent/v1/media/${body.mediaId}`)).status).toBe(404)
    expect((await app.ask('GET', `/agent/v1/media/${body.mediaId}`, { key })).status).toBe(200)
  })

  test('expires', async () => {
    const { caller } = app.workspace
    const [keyRow] = await app.db<{ id: string }[]>`
      select id from agent_key where workspace_id = ${caller.workspaceId} and revoked_at is null limit 1`
    const uploadUrl = uploadAddresses(app.keyring, app.baseUrl).make({
      workspaceId: caller.workspaceId,
      credential: { id: keyRow!.id, type: 'agent_key' },
      key: aNewKey(),
      altText: null,
      expiresAt: new Date(Date.now() - 1),
    })
    const late = await send(uploadUrl, photo)
    expect(late).toMatchObject({ status: 410, body: { detail: expect.stringMatching(/expired/) } })
  })

  test('cannot be made up, nor changed', async () => {
    const { uploadUrl } = await ask()
    for (const url of [`${uploadUrl.slice(0, -3)}AAA`, `${app.baseUrl}/uploads/x`, `${app.baseUrl}/uploads/`])
      expect(await send(url, photo)).toMatchObject({ status: 410, body: { code: 'link_not_valid' } })
  })

  test('refuses what uploads refuse, and may be used again', async () => {
    const { uploadUrl } = await ask()
    const text = await send(uploadUrl, Buffer.from('words'))
    expect(text).toMatchObject({ status: 415, body: { code: 'unsupported_media' } })
    expect(await send(uploadUrl, Buffer.alloc(0))).toMatchObject({ body: { code: 'media_rejected' } })
    const form = { headers: { 'content-type': 'multipart/form-data; boundary=x' } }
    expect(await send(uploadUrl, photo, form)).toMatchObject({
      status: 415,
      body: { code: 'malformed_request' },
    })
    const asOthers = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    expect((await send(uploadUrl, photo, asOthers)).status).toBe(201)
  })

  test('takes nothing that breaks off', async () => {
    const key = aNewKey()
    const { uploadUrl } = await ask(key)
    const faults = () => app.logged.filter((line) => line.includes('"err"')).length
    const before = faults()
    const sent = request(uploadUrl, { method: 'PUT', headers: { 'content-length': photo.length } })
    const broken = new Promise((resolve) => sent.once('error', resolve))
    sent.write(photo.subarray(0, 5_000), () => sent.destroy(new Error('gone')))
    await broken
    await vi.waitFor(() => expect(app.logged.join('')).toContain('"code":"malformed_request"'))
    expect(faults()).toBe(before)
    expect((await ask(key)).media).toBeNull()
  })

  test('says in which way it may be asked', async () => {
    const { uploadUrl } = await ask()
    const answer = await fetch(uploadUrl)
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('POST, PUT')
  })

  test('stands in no log', async () => {
    const { uploadUrl } = await ask()
    await send(uploadUrl, photo)
    const token = uploadUrl.slice(uploadUrl.lastIndexOf('/') + 1)
    expect(app.logged.join('')).not.toContain(token)
    const [audited] = await app.db<{ kept: number }[]>`
      select count(*)::int as kept from audit_entry e where position(${token} in e::text) > 0`
    expect(audited).toEqual({ kept: 0 })
  })

  test('is what the tool offers where neither address nor bytes are given', async () => {
    await using agent = await openMcpClient(app.baseUrl, app.key)
    const given = { idempotencyKey: aNewKey(), altText: 'A rider.' }
    const { isError, answer } = await agent.call('upload_media', given)
    expect({ isError, media: answer.media }).toEqual({ isError: false, media: null })
    const made = await send(answer.uploadUrl, photo)
    expect((await agent.call('upload_media', given)).answer.media).toEqual(made.body)
    const byBytes = await agent.call('upload_media', { ...given, base64: photo.toString('base64') })
    expect(byBytes).toMatchObject({ replayed: true, answer: made.body })
  })
})
