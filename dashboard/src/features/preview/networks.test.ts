import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { providers } from '../../../../server/src/networks/providers/registry.ts'
import { networkName } from '../channels/network-name.ts'
import { MARKS } from './rich-text.ts'

/* What the dashboard knows of each network that the registry has. */

const networks = [...providers.values()].filter(({ provider }) => !provider.startsWith('sandbox-'))

test('each network is called by its name', () => {
  expect(networks.map(({ provider }) => networkName(provider))).toEqual(
    networks.map(({ displayName }) => displayName),
  )
})

test('a preview knows what each network makes of a text, and of no other', () => {
  expect(Object.keys(MARKS).toSorted()).toEqual(networks.map(({ provider }) => provider).toSorted())
})

test('each network has a mark', () => {
  const source = readFileSync(join(import.meta.dirname, '../../ui/network-mark.tsx'), 'utf8')
  const styles = readFileSync(join(import.meta.dirname, '../../ui/channel-mark.module.css'), 'utf8')
  for (const { provider } of networks) {
    expect(source).toMatch(new RegExp(`^  ${provider}: \\{ className: styles\\.${provider},`, 'm'))
    expect(styles).toMatch(new RegExp(`^\\.${provider}\\b`, 'm'))
  }
})
