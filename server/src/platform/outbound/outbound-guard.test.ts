import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { isPublic, isReachable, readTarget, targetFaults, type TargetRules } from './outbound-guard.ts'

const strict: TargetRules = { httpsOnly: true, trustedOrigins: [], trustedNetworks: [] }

test.each([
  ['https://hooks.example.com/in', 'https://hooks.example.com/in'],
  ['https://Hooks.Example.COM:443/in?a=b', 'https://hooks.example.com/in?a=b'],
  ['https://hooks.example.com:8443', 'https://hooks.example.com:8443/'],
  ['https://bücher.example.org/', 'https://xn--bcher-kva.example.org/'],
  ['https://1.1.1.1/in', 'https://1.1.1.1/in'],
  ['https://[2606:4700::1111]/in', 'https://[2606:4700::1111]/in'],
  ['\thttps://hooks.example.com/in\n', 'https://hooks.example.com/in'],
])('%s is taken as %s', (text, href) => {
  expect(String(readTarget(text, strict))).toBe(href)
})

test.each([
  ['hooks.example.com/in', 'not_a_url'],
  ['/in', 'not_a_url'],
  ['https://', 'not_a_url'],
  ['https://exa mple.com', 'not_a_url'],
  ['https://256.256.256.256/', 'not_a_url'],
  ['https://[::1', 'not_a_url'],
  ['http://hooks.example.com/', 'not_https'],
  ['ftp://hooks.example.com/', 'not_https'],
  ['javascript:alert(1)', 'not_https'],
  ['file:///etc/passwd', 'not_https'],
  ['https://user@hooks.example.com/', 'has_credentials'],
  ['https://user:pass@hooks.example.com/', 'has_credentials'],
  ['https://:pass@hooks.example.com/', 'has_credentials'],
  ['https://hooks.example.com/#part', 'has_fragment'],
  ['https://hooks.example.com/#', 'has_fragment'],
  ['https://hooks.example.com:22/', 'odd_port'],
  ['https://hooks.example.com:25/', 'odd_port'],
  ['https://hooks.example.com:80/', 'odd_port'],
  ['https://hooks.example.com:6667/', 'odd_port'],
  ['https://hooks.example.com:0/', 'odd_port'],
  ['https://localhost/', 'private_name'],
  ['https://LOCALHOST/', 'private_name'],
  ['https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/', 'private_name'],
  ['https://intranet/', 'private_name'],
  ['https://hooks.example.com./', 'private_name'],
  ['https://metadata.google.internal/', 'private_name'],
  ['https://printer.local/', 'private_name'],
  ['https://a.localhost/', 'private_name'],
  ['https://router.home.arpa/', 'private_name'],
  ['https://hidden.onion/', 'private_name'],
  ['https://127.0.0.1/', 'private_address'],
  ['https://127.0.0.1:8443/', 'private_address'],
  ['https://2130706433/', 'private_address'],
  ['https://0x7f.1/', 'private_address'],
  ['https://0x7f000001/', 'private_address'],
  ['https://0177.0.0.1/', 'private_address'],
  ['https://127.1/', 'private_address'],
  ['https://127.0.0.1./', 'private_address'],
  ['https://127。0。0。1/', 'private_address'],
  ['https://127.0.0.1/', 'private_address'],
  ['https://①②⑦.⓪.⓪.①/', 'private_address'],
  ['https://%31%32%37.0.0.1/', 'private_address'],
  ['https://0/', 'private_address'],
  ['https://10.0.0.1/', 'private_address'],
  ['https://169.254.169.254/latest/meta-data', 'private_address'],
  ['https://100.100.100.200/', 'private_address'],
  ['https://[::1]/', 'private_address'],
  ['https://[::]/', 'private_address'],
  ['https://[::ffff:127.0.0.1]/', 'private_address'],
  ['https://[::ffff:7f00:1]/', 'private_address'],
  ['https://[::127.0.0.1]/', 'private_address'],
  ['https://[64:ff9b::7f00:1]/', 'private_address'],
  ['https://[2002:7f00:1::]/', 'private_address'],
  ['https://[fd00:ec2::254]/', 'private_address'],
  ['https://[fe80::1]/', 'private_address'],
  [`https://hooks.example.com/${'a'.repeat(2_048)}`, 'too_long'],
] as const)('%s is refused: %s', (text, fault) => {
  expect(readTarget(text, strict)).toBe(fault)
  expect(targetFaults[fault]).toMatch(/\.$/)
})

test.each([
  '0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.255.255.254', '169.254.169.254', '172.16.0.1',
  '172.31.255.255', '192.0.0.1', '192.0.2.1', '192.168.1.1', '198.18.0.1', '198.51.100.1', '203.0.113.1',
  '224.0.0.1', '240.0.0.1', '255.255.255.255', '::', '::1', '::ffff:1.1.1.1', '::1.1.1.1', '64:ff9b::101:101',
  '64:ff9b:1::1', '100::1', '2001::1', '2001:db8::1', '2002:101:101::', 'fc00::1', 'fd00:ec2::254', 'fe80::1',
  'fec0::1', 'ff02::1', '4000::1', '8000::1', 'c000::1', 'not an address', '',
])('%s is not public', (address) => {
  expect(isPublic(address)).toBe(false)
}) // prettier-ignore

test.each(['1.1.1.1', '93.184.216.34', '172.15.0.1', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::1'])(
  '%s is public',
  (address) => {
    expect(isPublic(address)).toBe(true)
  },
)

test("this machine's own addresses are not reachable", () => {
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  for (const { address } of own) expect(isReachable(address, strict)).toBe(false)
})

test('a trusted network counts as public, and nothing beside it does', () => {
  const rules = { ...strict, trustedNetworks: ['10.1.0.0/16', 'fd12::/16'] }
  expect(isReachable('10.1.2.3', rules)).toBe(true)
  expect(isReachable('fd12::1', rules)).toBe(true)
  expect(isReachable('10.2.0.1', rules)).toBe(false)
  expect(isReachable('::ffff:10.1.2.3', rules)).toBe(false)
})

test('a trusted origin may be plain and private, and no other port of it', () => {
  const rules = { ...strict, trustedOrigins: ['http://127.0.0.1:4010'] }
  expect(String(readTarget('http://127.0.0.1:4010/in', rules))).toBe('http://127.0.0.1:4010/in')
  expect(readTarget('http://127.0.0.1:4011/in', rules)).toBe('not_https')
  expect(readTarget('http://user@127.0.0.1:4010/in', rules)).toBe('has_credentials')
})
