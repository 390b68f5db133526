import Type from 'typebox'
import { readBody } from '../shared/answers.ts'
import type { HttpResponse } from '../port/calls.ts'
import {
  after,
  challengeOf,
  codeExchange,
  codeRequest,
  covers,
  missingScope,
  notExchanged,
  refreshAt,
  RenewableToken,
  tokenRequest,
  type ConfiguredApp,
  type GrantEnd,
} from '../shared/oauth-code.ts'
import type { Account, Adapter, ConnectVerdict, Origins } from '../port/port.ts'
import { call, type Steps } from '../port/procedure.ts'
import { bearer, get, withQuery } from '../shared/requests.ts'
import { accountOf, refused, unavailable } from '../port/verdicts.ts'
import { reasonOf } from './answers.ts'
import { youtubeAuthorization, type YoutubeAuthorization } from './authorization.ts'

/* OAuth 2 as a web application (https://developers.google.com/youtube/v3/guides/auth/server-side-web-apps). */

/** https://developers.google.com/youtube/v3/docs/channels/list */
const Channels = Type.Object({
  items: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String({ pattern: '^[A-Za-z0-9_-]+$' }),
        snippet: Type.Object({
          title: Type.String(),
          customUrl: Type.Optional(Type.String()),
          thumbnails: Type.Optional(
            Type.Object({ default: Type.Optional(Type.Object({ url: Type.Optional(Type.String()) })) }),
          ),
        }),
      }),
    ),
  ),
  pageInfo: Type.Object({ totalResults: Type.Integer({ minimum: 0 }) }),
})

const APP: ConfiguredApp = {
  settings: 'YOUTUBE_CLIENT_ID and YOUTUBE_CLIENT_SECRET',
  isUnknown: (error, status) => status === 401 || error === 'invalid_client',
}
const END: GrantEnd = {
  detail: 'Google no longer accepts the refresh token: the access was ended, or it has expired.',
}

/** How accounts are connected, and how their authorizations are kept. */
export function connectingTo(
  { api, site, token: tokens }: Origins & { readonly token: string },
  scope: string,
): Pick<Adapter, 'oauth' | 'refresh' | 'refreshRepeatable' | 'profile'> {
  return {
    oauth: {
      server: () => '',
      register: null,
      publishClient: null,
      // oxlint-disable-next-line require-yield -- the way to Google needs no call
      *authorize(work) {
        const query = {
          ...codeRequest(work, scope),
          ...challengeOf(work),
          // Without these there is a refresh token with the first consent alone.
          access_type: 'offline',
          prompt: 'consent',
        }
        return { is: 'authorize', url: withQuery(new URL('/o/oauth2/v2/auth', site), query), kept: null }
      },
      *exchange(work) {
        const form = { ...codeExchange(work), code_verifier: work.codeVerifier }
        const response = yield* call(tokenRequest(new URL('/token', tokens), work.client, form))
        const token = readBody(response, RenewableToken)
        if (token === null) return notExchanged(response, 'Google', APP)
        const { access_token: accessToken, refresh_token: refreshToken } = token
        // People can leave permissions out on Google's page of consent.
        if (refreshToken === undefined || !covers(token.scope ?? scope, scope)) return missingScope('Google')
        const shown = yield* readAccount(api, accessToken)
        if ('is' in shown) return shown
        if (!('remoteAccountId' in shown)) return refusedAccount(shown)
        const accessEndsAt = after(work.now, token.expires_in)
        const authorization: YoutubeAuthorization = {
          channelId: shown.remoteAccountId,
          accessToken,
          refreshToken,
          accessEndsAt,
        }
        return { is: 'connected', authorization, account: shown }
      },
    },
    refresh: refreshAt(new URL('/token', tokens), 'Google', END, youtubeAuthorization),
    // A refresh token is not used up by a refresh.
    refreshRepeatable: () => true,
    *profile({ authorization }) {
      const shown = yield* readAccount(api, youtubeAuthorization(authorization).accessToken)
      if ('is' in shown) return unavailable('YouTube shows no channel of this account.')
      if ('remoteAccountId' in shown) return { is: 'profile', account: shown }
      if (shown.status === 401 && reasonOf(shown) !== null) return { is: 'expired' }
      return unavailable(`YouTube answered with status ${shown.status}.`)
    },
  }
}

/** The channel behind a token; that there is none; or the answer that does not tell. */
export function* readAccount(
  api: string,
  accessToken: string,
): Steps<Account | HttpResponse | Extract<ConnectVerdict, { is: 'refused' }>> {
  const query = { part: 'snippet', mine: 'true' }
  const response = yield* call(
    get(withQuery(new URL('/youtube/v3/channels', api), query), bearer({ accessToken })),
  )
  const channels = readBody(response, Channels)
  if (channels === null) return response
  const [channel] = channels.items ?? []
  if (channel === undefined) {
    return refused(
      'account_unusable',
      'This Google account has no YouTube channel. Create one on YouTube, or sign in with another account.',
    )
  }
  const { title, customUrl, thumbnails } = channel.snippet
  const handle = (customUrl ?? channel.id).replace(/^@/, '')
  const displayName = title === '' ? handle : title
  return accountOf({ remoteAccountId: channel.id, displayName, handle, avatar: thumbnails?.default?.url })
}

function refusedAccount(response: HttpResponse): ConnectVerdict {
  const { status } = response
  return status === 403 && reasonOf(response) !== null
    ? refused(
        'account_unusable',
        'YouTube does not let this app read the channel: it is suspended, or the app lacks the YouTube Data API. Sign in to YouTube to check.',
      )
    : unavailable(`YouTube answered with status ${status} when asked for the channel. Try again later.`)
}
