import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { missingDashboard, serveDashboard } from './serve-dashboard.ts'

const cookie = `postrider=${'a'.repeat(43)}`

async function served(baseUrl = 'http://localhost:4000') {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-dist-'))
  const app = fastify()
  serveDashboard(app, { baseUrl, folder })
  return {
    folder,
    get: (url: string, headers: Record<string, string> = { cookie, host: 'localhost:4000' }) =>
      app.inject({ method: 'GET', url, headers }),
    async [Symbol.asyncDispose]() {
      await app.close()
      await rm(folder, { recursive: true })
    },
  }
}

test('a server without the built dashboard says how to build it, and needs no restart then', async () => {
  await using dashboard = await served()
  expect(missingDashboard(dashboard.folder)).toContain('npm run build')
  expect(await dashboard.get('/')).toMatchObject({
    statusCode: 503,
    body: expect.stringContaining('npm run build'),
  })
  await writeFile(join(dashboard.folder, 'index.html'), '<html><head></head></html>')
  expect(missingDashboard(dashboard.folder)).toBeNull()
  expect((await dashboard.get('/w/some/screen')).body).toBe('<html><head></head></html>')
})

test('the page allows nothing inline, no other host, and no frame around it', async () => {
  await using dashboard = await served()
  await writeFile(join(dashboard.folder, 'index.html'), '<html><head></head></html>')
  const policy = (await dashboard.get('/')).headers['content-security-policy']
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).toContain("require-trusted-types-for 'script'")
  expect(policy).not.toContain('unsafe')
})

test('files are kept by browsers for as long as they like, and nothing outside of the folder is given', async () => {
  await using dashboard = await served()
  await mkdir(join(dashboard.folder, 'assets'))
  await writeFile(join(dashboard.folder, 'index.html'), '<html><head></head></html>')
  await writeFile(join(dashboard.folder, 'assets/a-1.js'), 'plain')
  await writeFile(join(dashboard.folder, 'assets/a-1.js.br'), 'smaller')
  const plain = await dashboard.get('/assets/a-1.js')
  expect(plain).toMatchObject({ statusCode: 200, body: 'plain' })
  expect(plain.headers['cache-control']).toContain('immutable')
  const small = await dashboard.get('/assets/a-1.js', { 'accept-encoding': 'gzip, br' })
  expect(small).toMatchObject({ body: 'smaller', headers: { 'content-encoding': 'br' } })
  for (const path of [
    '/assets/../index.html',
    '/assets/%2e%2e/index.html',
    '/assets/a-2.js',
    '/assets/%E0%A4%A',
  ])
    expect((await dashboard.get(path)).statusCode).toBeGreaterThanOrEqual(400)
})

test('whoever has no session is sent to sign in, and back', async () => {
  await using dashboard = await served()
  const answer = await dashboard.get('/w/1/posts?q=a', { host: 'localhost:4000' })
  expect(answer).toMatchObject({
    statusCode: 303,
    headers: { location: '/sign-in?next=%2Fw%2F1%2Fposts%3Fq%3Da' },
  })
})
