import type { FindingCode } from '@postrider/contract'
import type { Refused } from './fault-proxy.ts'

/*
 * What networks answer to the questions of a check where something is wrong with an account: their own words, given at the proxy before
 * each. Where a network has no such answer, it is said why.
 */

export const accountFaults = [
  'expired token',
  'missing scope',
  'quota used up',
  'version gone',
  'account suspended',
] as const
export type AccountFault = (typeof accountFaults)[number]

export type Played =
  | {
      /** The answer to a request, by its first line; null where the network answers itself. */
      readonly answers: (line: string) => Refused | null
      /** By which name it has to be told. */
      readonly code: FindingCode
    }
  | { readonly never: string }

function played(
  code: FindingCode,
  pattern: RegExp,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Played {
  const refused: Refused = { status, body, headers, request: 'passed on' }
  return { code, answers: (line) => (pattern.test(line) ? refused : null) }
}

/** Every call. */
const ANY = /^/

const never = (reason: string): Played => ({ never: reason })

const xProblem = (status: number, name: string | null, more: object = {}) => ({
  title: 'Refused',
  detail: 'Refused',
  type: name === null ? 'about:blank' : `https://api.x.com/2/problems/${name}`,
  status,
  ...more,
})
const graph = (code: number, subcode?: number) => ({
  error: { message: 'No.', type: 'OAuthException', code, ...(subcode ? { error_subcode: subcode } : {}) },
})
const google = (code: number, reason: string) => ({ error: { code, message: 'No.', errors: [{ reason }] } })
const bot = (error_code: number, description: string, more: object = {}) => ({
  ok: false,
  error_code,
  description,
  ...more,
})
const wp = (status: number, code: string) => ({ code, message: 'No.', data: { status } })
const allowedBy = (scopes: readonly string[]) => ({ data: { is_valid: true, expires_at: 0, scopes } })

/** Of each network of the registry. */
export const faultsAt: Readonly<Record<string, Readonly<Record<AccountFault, Played>>>> = {
  x: {
    'expired token': played('access_over', /\/users\/me/, 401, xProblem(401, null)),
    'missing scope': never('X tells no scopes of a token.'),
    'quota used up': played('quota_used_up', ANY, 429, xProblem(429, 'usage-capped', { period: 'Monthly' })),
    'version gone': never('X names no end of version 2.'),
    'account suspended': played('account_suspended', ANY, 403, xProblem(403, 'user-suspended')),
  },
  linkedin: {
    'expired token': played('access_over', /userinfo|\/rest\//, 401, {
      status: 401,
      code: 'EXPIRED_ACCESS_TOKEN',
      message: 'The token has expired',
    }),
    'missing scope': played('scopes_missing', /introspectToken/, 200, {
      active: true,
      status: 'active',
      scope: 'openid,profile',
    }),
    'quota used up': played('quota_used_up', /userinfo|\/rest\//, 429, {
      status: 429,
      message: 'Resource level throttle limit for calls to this resource is reached.',
    }),
    'version gone': played('version_gone', /\/rest\//, 426, {
      status: 426,
      code: 'NONEXISTENT_VERSION',
      message: 'Requested version is not active',
    }),
    'account suspended': played('account_suspended', /userinfo|\/rest\//, 403, {
      status: 403,
      code: 'MEMBER_RESTRICTED',
      message: 'Member is restricted',
    }),
  },
  youtube: {
    'expired token': played('access_over', /channels/, 401, google(401, 'authError')),
    'missing scope': played('scopes_missing', /tokeninfo/, 200, { scope: 'openid', expires_in: '3599' }),
    'quota used up': played('quota_used_up', /channels/, 403, google(403, 'quotaExceeded')),
    'version gone': never('YouTube names no end of version 3.'),
    'account suspended': played('account_suspended', /channels/, 403, google(403, 'channelSuspended')),
  },
  facebook: {
    'expired token': played('access_refused', /\/1001\?/, 401, graph(190, 463)),
    'missing scope': played('scopes_missing', /debug_token/, 200, allowedBy(['pages_show_list'])),
    'quota used up': played('quota_used_up', /\/1001\?/, 400, graph(32)),
    'version gone': played(
      'version_gone',
      /\/1001\?/,
      200,
      { id: '1001', name: 'Example Roasters' },
      {
        'facebook-api-version': 'v28.0',
      },
    ),
    'account suspended': played('account_suspended', /\/1001\?/, 401, graph(190, 459)),
  },
  instagram: {
    'expired token': played('access_refused', /\/\d{10,}\?/, 401, graph(190, 463)),
    'missing scope': played('scopes_missing', /debug_token/, 200, allowedBy(['instagram_basic'])),
    'quota used up': played('quota_used_up', /content_publishing_limit/, 200, {
      data: [{ quota_usage: 50, config: { quota_total: 50 } }],
    }),
    'version gone': played('version_gone', /\/\d{10,}\?/, 400, graph(2_635)),
    'account suspended': played('account_suspended', /\/\d{10,}\?/, 401, graph(190, 464)),
  },
  threads: {
    'expired token': played('access_refused', ANY, 401, graph(190, 463)),
    'missing scope': played('scopes_missing', /\/replies\?/, 403, graph(10)),
    'quota used up': played('quota_used_up', /threads_publishing_limit\?fields=quota/, 200, {
      data: [{ quota_usage: 250, config: { quota_total: 250 } }],
    }),
    'version gone': never('Threads names no end of version 1.0.'),
    'account suspended': played('account_suspended', ANY, 401, graph(190, 459)),
  },
  mastodon: {
    'expired token': played('access_refused', /accounts\/verify/, 401, { error: 'The access token expired' }),
    'missing scope': played('scopes_missing', /apps\/verify/, 200, { name: 'App', scopes: ['read'] }),
    'quota used up': played('quota_used_up', /verify/, 429, { error: 'Too many requests' }),
    'version gone': played('version_gone', /\/instance/, 404, { error: 'Not Found' }),
    'account suspended': played('account_suspended', /verify/, 403, {
      error: 'Your login is currently disabled',
    }),
  },
  bluesky: {
    'expired token': played('access_over', /getSession/, 400, { error: 'ExpiredToken', message: 'No.' }),
    'missing scope': played('scopes_missing', /getSession/, 403, {
      error: 'ScopeMissingError',
      message: 'No.',
    }),
    'quota used up': played('quota_used_up', /getSession/, 429, { error: 'RateLimitExceeded' }),
    'version gone': played('version_gone', /getSession/, 501, { error: 'MethodNotImplemented' }),
    'account suspended': played('account_suspended', /getSession/, 401, { error: 'AccountTakedown' }),
  },
  telegram: {
    'expired token': played('access_refused', /getMe/, 401, bot(401, 'Unauthorized')),
    'missing scope': played('rights_missing', /getChatMember/, 200, {
      ok: true,
      result: { status: 'administrator', can_post_messages: false },
    }),
    'quota used up': played(
      'quota_used_up',
      /getMe/,
      429,
      bot(429, 'Too Many Requests: retry after 5', { parameters: { retry_after: 5 } }),
    ),
    'version gone': never('The Bot API has no versions.'),
    'account suspended': never('The token of a bot that Telegram has banned is refused as any other.'),
  },
  discord: {
    'expired token': played('access_refused', ANY, 404, { code: 10_015, message: 'Unknown Webhook' }),
    'missing scope': never('A webhook has no scopes.'),
    'quota used up': played('quota_used_up', ANY, 429, { message: 'No.', retry_after: 2, global: false }),
    'version gone': played('version_gone', ANY, 400, {
      code: 50_041,
      message: 'Invalid API version provided',
    }),
    'account suspended': never('A webhook is deleted.'),
  },
  wordpress: {
    'expired token': played('access_refused', /users%2Fme|users\/me/, 401, wp(401, 'incorrect_password')),
    'missing scope': played('rights_missing', /users\/me/, 200, {
      id: 2,
      capabilities: { publish_posts: false, upload_files: true },
    }),
    'quota used up': played('quota_used_up', /users\/me/, 429, { error: 'Slow down' }),
    'version gone': played('version_gone', /\/wp-json\/\?/, 200, {
      name: 'A site',
      home: 'http://127.0.0.1',
      namespaces: ['wp/v3'],
    }),
    'account suspended': never('A user of a site is removed.'),
  },
  nostr: {
    'expired token': never('A key has no end.'),
    'missing scope': never('A key has no scopes.'),
    'quota used up': never('A relay tells nothing of its limits before an event.'),
    'version gone': never('The protocol has no versions.'),
    'account suspended': never('Nobody suspends a key.'),
  },
  ...Object.fromEntries(
    ['sandbox-short', 'sandbox-professional'].map((provider) => [
      provider,
      {
        'expired token': played('access_refused', ANY, 401, { error: { code: 'invalid_token' } }),
        'missing scope': never('A token of the sandbox has no scopes.'),
        'quota used up': played('quota_used_up', ANY, 429, { error: { code: 'rate_limited' } }),
        'version gone': never('The sandbox has one version.'),
        'account suspended': played('account_suspended', ANY, 403, { error: { code: 'forbidden' } }),
      },
    ]),
  ),
}
