import { expect, test } from 'vitest'
import { parametersText, ruleOf } from './link-tags.ts'

test('parameters are written as in an address, with hosts beside them', () => {
  const rule = ruleOf('?utm_source={network}&utm_campaign={label} x=1', 'acme.com, shop.acme.com\nacme.com')
  expect(rule).toEqual({
    parameters: [
      { name: 'utm_source', value: '{network}' },
      { name: 'utm_campaign', value: '{label} x=1' },
    ],
    hosts: ['acme.com', 'shop.acme.com'],
  })
  expect(parametersText(rule)).toBe('utm_source={network}&utm_campaign={label} x=1')
  expect(ruleOf(parametersText(rule), 'acme.com shop.acme.com')).toEqual(rule)
})

test('no parameter is no rule', () => {
  expect(ruleOf(' & ', 'acme.com')).toBeNull()
  expect(parametersText(null)).toBe('')
})
