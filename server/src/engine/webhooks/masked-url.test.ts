import { expect, test } from 'vitest'
import { maskedUrl } from './masked-url.ts'

test.each([
  ['https://hooks.example.com/in', 'https://hooks.example.com/in'],
  ['https://hooks.example.com/in?token=s3cret', 'https://hooks.example.com/in?token=***'],
  ['https://hooks.example.com/?team=a&token=s3=cret&', 'https://hooks.example.com/?team=***&token=***&'],
  ['https://hooks.example.com/?s3cret', 'https://hooks.example.com/?***'],
  ['https://hooks.example.com/?=s3cret', 'https://hooks.example.com/?=***'],
  ['https://hooks.example.com/?', 'https://hooks.example.com/?'],
])('%s is shown as %s', (url, shown) => {
  expect(maskedUrl(url)).toBe(shown)
})
