import { expect, test, vi } from 'vitest'
import { curlOf } from './curl.ts'

vi.stubGlobal('document', { baseURI: 'https://postrider.example/' })

test('a read takes the key from the shell', () => {
  expect(curlOf({ path: 'posts/7' })).toBe(
    `curl -sS 'https://postrider.example/agent/v1/posts/7' -H "Authorization: Bearer $POSTRIDER_KEY"`,
  )
})

test('a body with an apostrophe reaches the server as it is', () => {
  expect(curlOf({ path: 'posts', key: 'pr_1', body: { text: "It's out" } })).toBe(
    String.raw`curl -sS 'https://postrider.example/agent/v1/posts' -H 'Authorization: Bearer pr_1' -H 'Content-Type: application/json' \
  -d '{"text":"It'\''s out"}'`,
  )
})
