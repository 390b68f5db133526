import { expect, test } from 'vitest'
import type { Authorization, PublishWork } from './port.ts'
import { aPublishWork } from '../../test/rigs/publish-work.ts'
import { providers } from './registry.ts'

/*
 * Answers to publish calls that people have shown in public threads, in a shorter form of ours, and what each proves. Where a thread shows
 * the words alone, they stand in the form that the network answers in.
 */

type Seen = {
  readonly status: number
  readonly body: unknown
  readonly where: string
  /** What the verdict is, and its code where it has one. */
  readonly is: string
}

const graph = (code: number, message: string, subcode?: number) => ({
  error: {
    message,
    type: 'OAuthException',
    code,
    ...(subcode === undefined ? {} : { error_subcode: subcode }),
  },
})
const bot = (error_code: number, description: string) => ({ ok: false, error_code, description })
const google = (code: number, reason: string, message = 'No.') => ({
  error: { code, message, errors: [{ reason, message }] },
})
const problem = (detail: string, title = 'Forbidden', type = 'about:blank') => ({
  title,
  detail,
  type,
  status: 403,
})
const wp = (status: number, code: string) => ({ code, message: 'Sorry.', data: { status } })

const seen: Readonly<Record<string, readonly Seen[]>> = {
  bluesky: [
    {
      status: 400,
      body: { error: 'InvalidRequest', message: 'Record/text must not be longer than 300 graphemes' },
      where: 'https://github.com/neodb-social/neodb/issues/916',
      is: 'rejected content_refused',
    },
    {
      status: 400,
      body: { error: 'InvalidRequest', message: 'grapheme too big (maximum 300, got 1000) at $.record.text' },
      where: 'https://github.com/MarshalX/atproto/issues/721',
      is: 'rejected content_refused',
    },
    {
      status: 400,
      body: {
        error: 'BlobTooLarge',
        message: 'This file is too large. It is 1.01MB but the maximum size is 976.56KB.',
      },
      where: 'https://github.com/skyware-js/bot/issues/27',
      is: 'rejected media_refused',
    },
    {
      status: 500,
      body: { error: 'InternalServerError', message: 'Something went wrong' },
      where: 'https://github.com/blacksky-algorithms/rsky/issues/283',
      is: 'unknown',
    },
  ],
  discord: [
    {
      status: 400,
      body: { message: 'Cannot send an empty message', code: 50_006 },
      where: 'https://github.com/formbricks/formbricks/issues/4671',
      is: 'rejected content_refused',
    },
    {
      status: 400,
      body: { message: 'Invalid Form Body', code: 50_035 },
      where: 'https://github.com/Rapptz/discord.py/issues/10201',
      is: 'rejected content_refused',
    },
    {
      status: 500,
      body: '500: Internal Server Error',
      where: 'https://github.com/discord/discord-api-docs/issues/8554',
      is: 'unknown',
    },
    {
      status: 400,
      body: { message: '400: Bad Request', code: 0 },
      where: 'https://github.com/discord/discord-api-docs/issues/1197',
      is: 'unknown',
    },
  ],
  facebook: [
    {
      status: 400,
      body: graph(368, 'We limit how often you can post, comment or do other things', 1_390_008),
      where: 'https://github.com/gitroomhq/postiz-app/pull/2068',
      is: 'deferred rate_limited',
    },
    {
      status: 400,
      body: graph(368, "You've already posted this. Posting the same content repeatedly isn't allowed."),
      where: 'https://github.com/arsduo/koala/issues/422',
      is: 'rejected duplicate_refused',
    },
    {
      status: 400,
      body: graph(32, '(#32) Page request limit reached'),
      where: 'https://github.com/facebookarchive/php-graph-sdk/issues/634',
      is: 'deferred rate_limited',
    },
    {
      status: 500,
      body: graph(1, 'An unknown error has occurred.'),
      where: 'https://github.com/facebookarchive/php-graph-sdk/issues/478',
      is: 'unknown',
    },
    {
      status: 403,
      body: graph(200, '(#200) Permissions error'),
      where: 'https://github.com/snarfed/bridgy/issues/78',
      is: 'rejected permission_refused',
    },
  ],
  instagram: [
    {
      status: 400,
      body: graph(9_007, 'Media ID is not available', 2_207_027),
      where: 'https://github.com/exileum/meta-mcp/issues/138',
      is: 'deferred not_shown_yet',
    },
    {
      status: 400,
      body: graph(100, 'Unsupported get request', 33),
      where: 'https://github.com/gitroomhq/postiz-app/issues/1562',
      is: 'unknown',
    },
  ],
  linkedin: [
    {
      status: 401,
      body: {
        status: 401,
        serviceErrorCode: 65_601,
        code: 'REVOKED_ACCESS_TOKEN',
        message: 'The token used in the request has been revoked by the user',
      },
      where: 'https://github.com/jclusso/omniauth-linkedin-openid/issues/6',
      is: 'deferred not_shown_yet',
    },
    {
      status: 422,
      body: {
        status: 422,
        message:
          'com.linkedin.content.common.exception.BadRequestResponseException: Content is a duplicate of urn:li:share:7141138937766391808',
      },
      where: 'https://github.com/Arisamiga/Linkedin-RSS/issues/5',
      is: 'rejected duplicate_refused',
    },
    {
      status: 422,
      body: { status: 422, message: 'Duplicate post is detected', code: 'DUPLICATE_POST' },
      where: 'https://github.com/ComposioHQ/composio/issues/2710',
      is: 'rejected duplicate_refused',
    },
    {
      status: 403,
      body: {
        serviceErrorCode: 100,
        message: 'Not enough permissions to access: POST /ugcPosts',
        status: 403,
      },
      where: 'https://github.com/Light-it-labs/laravel-linkedin-share/issues/9',
      is: 'rejected permission_refused',
    },
    {
      status: 429,
      body: { status: 429, message: 'Throttle limit for calls to this resource is reached' },
      where: 'https://github.com/Kademi/kademi-dev/issues/6199',
      is: 'deferred rate_limited',
    },
  ],
  mastodon: [
    {
      status: 422,
      body: { error: 'Validation failed: Text character limit of 500 exceeded' },
      where: 'https://github.com/akrherz/iembot/issues/150',
      is: 'rejected content_refused',
    },
    {
      status: 422,
      body: { error: 'Cannot attach more than 4 files' },
      where: 'https://github.com/halcy/Mastodon.py/issues/58',
      is: 'rejected content_refused',
    },
  ],
  nostr: [
    {
      status: 101,
      body: 'blocked: only certain pubkeys are allowed to post',
      where: 'https://github.com/dmotz/trystero/issues/126',
      is: 'rejected permission_refused',
    },
    {
      status: 101,
      body: 'blocked: auth-required: not admitted',
      where: 'https://github.com/scsibug/nostr-rs-relay/pull/250',
      is: 'rejected permission_refused',
    },
    {
      status: 101,
      body: 'error: somemsg',
      where: 'https://github.com/nostr-protocol/nips/issues/458',
      is: 'unknown',
    },
    {
      status: 101,
      body: 'rate-limited: slow down',
      where: 'https://github.com/nostr-protocol/nips/issues/1143',
      is: 'deferred rate_limited',
    },
  ],
  telegram: [
    {
      status: 400,
      body: bot(400, 'Bad Request: chat not found'),
      where: 'https://github.com/bottenderjs/messaging-apis/issues/414',
      is: 'reauthorize',
    },
    {
      status: 400,
      body: bot(400, 'Bad Request: group chat was upgraded to a supergroup chat'),
      where: 'https://github.com/ableev/Zabbix-in-Telegram/issues/210',
      is: 'reauthorize',
    },
    {
      status: 400,
      body: bot(400, 'Bad Request: CHAT_ADMIN_REQUIRED'),
      where: 'https://github.com/TelegramBotAPI/errors/issues/2',
      is: 'rejected permission_refused',
    },
    {
      status: 400,
      body: bot(400, 'Bad Request: message is too long'),
      where: 'https://github.com/guidone/node-red-contrib-chatbot/issues/254',
      is: 'rejected content_refused',
    },
    {
      status: 400,
      body: bot(400, 'Bad Request: CHAT_RESTRICTED'),
      where: 'https://github.com/tdlib/telegram-bot-api/issues/863',
      is: 'rejected permission_refused',
    },
  ],
  threads: [
    {
      status: 400,
      body: graph(24, 'The requested resource does not exist', 4_279_009),
      where: 'https://github.com/trypostit/trypost/pull/280',
      is: 'deferred not_shown_yet',
    },
    {
      status: 400,
      body: graph(10, 'Application does not have permission for this action'),
      where: 'https://github.com/fbsamples/threads_api/issues/72',
      is: 'rejected permission_refused',
    },
  ],
  wordpress: [
    {
      status: 401,
      body: wp(401, 'rest_cannot_create'),
      where: 'https://github.com/WordPress/application-passwords/issues/67',
      is: 'reauthorize',
    },
    {
      status: 401,
      body: wp(401, 'rest_cannot_create_user'),
      where: 'https://github.com/WP-API/WP-API/issues/2586',
      is: 'reauthorize',
    },
  ],
  x: [
    {
      status: 403,
      body: problem(
        "This request looks like it might be automated. To protect our users from spam, we can't complete this action right now.",
      ),
      where: 'https://github.com/trevorhobenshield/twitter-api-client/issues/238',
      is: 'deferred rate_limited',
    },
    {
      status: 403,
      body: problem(
        'You have reached your daily limit for sending Tweets and messages. Please try again later.',
      ),
      where: 'https://github.com/trevorhobenshield/twitter-api-client/issues/238',
      is: 'deferred rate_limited',
    },
    {
      status: 403,
      body: problem('User is over daily status update limit.'),
      where: 'https://github.com/Xtremilicious/twitter-retweet-bot/issues/4',
      is: 'deferred rate_limited',
    },
    {
      status: 403,
      body: problem('You are not permitted to perform this action.'),
      where: 'https://github.com/joschan21/contentport/issues/49',
      is: 'rejected permission_refused',
    },
    {
      status: 403,
      body: problem(
        'You must use keys of an App that is attached to a Project.',
        'Client Forbidden',
        'https://api.twitter.com/2/problems/client-forbidden',
      ),
      where: 'https://github.com/geduldig/TwitterAPI/issues/226',
      is: 'rejected permission_refused',
    },
    {
      status: 402,
      body: problem('No credits.', 'CreditsDepleted', 'https://api.x.com/2/problems/credits'),
      where: 'https://github.com/tryethernal/ethernal/issues/1326',
      is: 'rejected permission_refused',
    },
  ],
  youtube: [
    {
      status: 403,
      body: google(403, 'quotaExceeded'),
      where: 'https://github.com/ShareX/ShareX/issues/4477',
      is: 'deferred rate_limited',
    },
    {
      status: 429,
      body: google(429, 'rateLimitExceeded', "Quota exceeded for limit 'Video Uploads per day'"),
      where: 'https://github.com/googleapis/google-api-python-client/issues/2753',
      is: 'deferred rate_limited',
    },
    {
      status: 400,
      body: google(400, 'uploadLimitExceeded'),
      where: 'https://github.com/porjo/youtubeuploader/issues/212',
      is: 'deferred rate_limited',
    },
    {
      status: 400,
      body: google(400, 'invalidDescription'),
      where: 'https://github.com/Stekeblad/Stekeblads-Video-Uploader/issues/49',
      is: 'rejected content_refused',
    },
  ],
}

const proof = '0'.repeat(64)
const later = '2027-01-01T00:00:00Z'
const NOTE = 'a'.repeat(64)
/** An account of each network, and what stands prepared before the call. */
const works: Readonly<Record<string, { authorization: Authorization } & Partial<PublishWork>>> = {
  bluesky: {
    authorization: {
      kind: 'password',
      did: 'did:plc:abc',
      handle: 'a.example',
      server: 'https://pds.example',
      accessToken: 'a',
      refreshToken: 'r',
      accessEndsAt: later,
    },
    prepared: { rkey: '3jzfcijpj2z2a', record: { $type: 'app.bsky.feed.post' }, gates: [] },
  },
  discord: {
    authorization: {
      server: 'https://discord.com',
      webhookId: '1',
      token: 't',
      channelId: '2',
      guildId: null,
      threadId: null,
    },
  },
  facebook: { authorization: { pageId: '1', accessToken: 'a', proof }, prepared: { as: 'post', id: '1_2' } },
  instagram: { authorization: { userId: '1', accessToken: 'a', proof }, prepared: { container: '2' } },
  linkedin: {
    authorization: {
      author: 'urn:li:person:A',
      accessToken: 'a',
      accessEndsAt: later,
      accessSince: '2026-11-21T08:59:50Z',
      refresh: null,
    },
  },
  mastodon: {
    authorization: { server: 'https://m.example', accountId: '1', accessToken: 'a' },
    prepared: { newestId: null },
  },
  nostr: {
    authorization: {
      secretKey: '1'.repeat(64),
      pubkey: 'b'.repeat(64),
      named: ['wss://relay.example'],
      listed: [],
      mediaServer: 'https://media.example',
    },
    prepared: {
      event: {
        id: NOTE,
        pubkey: 'b'.repeat(64),
        created_at: 1,
        kind: 1,
        tags: [],
        content: 'x',
        sig: 'c'.repeat(128),
      },
      relays: ['wss://relay.example'],
    },
  },
  telegram: { authorization: { server: 'https://api.telegram.org', token: 't', chatId: -1 } },
  threads: {
    authorization: { userId: '1', accessToken: 'a', accessEndsAt: later },
    prepared: { container: '2' },
  },
  wordpress: {
    authorization: { root: 'https://w.example/wp-json/', user: 'u', password: 'p' },
    prepared: { postId: 7, slug: '' },
  },
  x: {
    authorization: {
      accountId: '1',
      username: 'u',
      accessToken: 'a',
      refreshToken: 'r',
      accessEndsAt: later,
    },
  },
  youtube: { authorization: { channelId: 'c', accessToken: 'a', refreshToken: 'r', accessEndsAt: later } },
}

/** The answer as the adapter gets it: at Nostr, what one relay said of the note. */
function bodyOf(name: string, body: unknown): string {
  if (name !== 'nostr') return typeof body === 'string' ? body : JSON.stringify(body)
  return JSON.stringify([
    { relay: 'wss://relay.example', sent: true, silence: null, said: [['OK', NOTE, false, body]] },
  ])
}

test('every network has answers here that were seen', () => {
  const networks = [...providers.keys()].filter((name) => !name.startsWith('sandbox-'))
  expect(Object.keys(seen).toSorted()).toEqual(networks.toSorted())
})

test.each(
  Object.entries(seen).flatMap(([name, answers]) => answers.map((one) => [name, one.where, one] as const)),
)('%s: %s', async (name, _where, { status, body, is }) => {
  const { publish } = await providers.get(name)!.load()
  const { authorization, ...change } = works[name]!
  const work = aPublishWork(authorization, change)
  const headers = { date: 'Sat, 21 Nov 2026 09:00:00 GMT' }
  const verdict = publish.judge({ status, headers, body: bodyOf(name, body) }, work)
  expect([verdict.is, 'code' in verdict ? verdict.code : ''].join(' ').trim()).toBe(is)
})
