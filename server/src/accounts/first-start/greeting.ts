import { ownerLinkUrl, siteOf } from '../../platform/outbound/site.ts'
import type { FirstStart } from './seed-database.ts'

export type Addresses = {
  /** Null where this process does not have the role. */
  api: string | null
  sandbox: string | null
}

/** What a person reads when the server is up: where everything is, and at the first start how to publish something. */
export function greeting(
  addresses: Addresses,
  first: FirstStart | null,
  ownerLink: string | null = first?.ownerLink ?? null,
): string {
  const lines = ['', '  Postrider is ready.', '', ...addressLines(addresses)]
  if (addresses.api !== null) {
    lines.push('', ...ownerLines(addresses.api, ownerLink))
    if (first !== null) lines.push(...firstPostLines(addresses.api, first), '', `  ${STOPPING}`)
    else lines.push('  Another agent key: postrider key create --name my-agent')
  }
  return `${[...lines, ''].join('\n')}\n`
}

function addressLines({ api, sandbox }: Addresses): string[] {
  const known: [string, string | null][] = [
    ['Dashboard', api === null ? null : siteOf(api).url],
    ['API', api === null ? null : `${api}/agent/v1`],
    ['Reference', api === null ? null : `${api}/openapi`],
    ['Sandbox network', sandbox],
  ]
  return known.flatMap(([name, url]) => (url === null ? [] : [`  ${name.padEnd(16)}${url}`]))
}

const STOPPING = 'Ctrl-C stops it. Commands and the lines above go into a second terminal.'

function ownerLines(api: string, ownerLink: string | null): string[] {
  if (ownerLink === null) return []
  return [
    '  Create your account. The link works once, for 24 hours:',
    '',
    `    ${ownerLinkUrl(api, ownerLink)}`,
    '',
  ]
}

const PRETTY = `| node -p 'JSON.stringify(JSON.parse(fs.readFileSync(0)), null, 2)'`

/**
 * Lines to paste into a shell, today or later: the time and the idempotency key are computed when they run. `node`
 * does so because `date` has no portable arithmetic, and a server started with npm has it.
 */
function firstPostLines(api: string, { key, channel }: FirstStart): string[] {
  const lines = [
    '  Your agent key, which is shown only once:',
    '',
    `    export POSTRIDER_KEY=${key}`,
    '',
    '  Connect an agent by MCP (docs/mcp.md has the line of other clients):',
    '',
    `    claude mcp add --transport http postrider ${api}/mcp --header "Authorization: Bearer $POSTRIDER_KEY"`,
  ]
  if (channel === null) return lines
  return [
    ...lines,
    '',
    '  Schedule a post, ten seconds ahead:',
    '',
    `    curl -sS ${api}/agent/v1/posts -H "Authorization: Bearer $POSTRIDER_KEY" -H 'Content-Type: application/json' -d '{`,
    `      "confirmed": true, "idempotencyKey": "hello-'$(date +%s)'", "state": "scheduled",`,
    `      "publishAt": "'$(node -p 'new Date(Date.now() + 1e4).toISOString()')'",`,
    `      "channelIds": ["${channel.channelId}"], "text": "Hello from Postrider" }' ${PRETTY}`,
    '',
    '  Read it back:',
    '',
    `    curl -sS '${api}/agent/v1/posts?limit=1' -H "Authorization: Bearer $POSTRIDER_KEY" ${PRETTY}`,
    '',
    `  And see it appear: ${channel.pageUrl}`,
  ]
}
