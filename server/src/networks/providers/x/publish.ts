import Type from 'typebox'
import { readBody } from '../shared/answers.ts'
import type { HttpResponse } from '../port/calls.ts'
import type { Exchange, Origins, PublishWork, Refusal, Verdict } from '../port/port.ts'
import { bearer } from '../shared/requests.ts'
import { MEDIA_GONE, rateLimited, rejected, unknown } from '../port/verdicts.ts'
import { problemOf, refusalOf, type Problem } from './answers.ts'
import { xAuthorization } from './authorization.ts'

const Created = Type.Object({ data: Type.Object({ id: Type.String({ pattern: '^[0-9]{1,19}$' }) }) })

/** https://docs.x.com/x-api/posts/create-post: it refuses members that it does not know. */
export function publishAt({ api, site }: Origins): Exchange<PublishWork, Verdict> {
  return {
    request: (work) => ({
      method: 'POST',
      url: new URL('/2/tweets', api),
      authorization: bearer(xAuthorization(work.authorization)),
      json: bodyOf(work),
    }),
    judge: (response, work) => judge(response, work, site),
  }
}

function bodyOf({ text, media, settings, parent }: PublishWork): Readonly<Record<string, unknown>> {
  const { replies, madeWithAi, paidPartnership, communityId } = settings
  return {
    text,
    ...(media.length === 0 ? {} : { media: { media_ids: media.map(({ remoteId }) => remoteId) } }),
    ...(parent === null ? {} : { reply: { in_reply_to_tweet_id: parent.remoteId } }),
    ...(madeWithAi === true ? { made_with_ai: true } : {}),
    ...(paidPartnership === true ? { paid_partnership: true } : {}),
    // A thread is where its first part is, and has the rules for replies that its first part has.
    ...(parent !== null || replies === undefined || replies === 'everyone'
      ? {}
      : { reply_settings: replies }),
    ...(parent !== null || communityId === undefined ? {} : { community_id: communityId }),
  }
}

function judge(response: HttpResponse, { authorization, parent }: PublishWork, site: string): Verdict {
  const { status } = response
  const created = readBody(response, Created, 201)
  if (created !== null) {
    const { id } = created.data
    return { is: 'published', remoteId: id, url: addressOf(site, xAuthorization(authorization).username, id) }
  }
  const refusal = refusalOf(response)
  if (refusal !== null) return refusal
  const problem = problemOf(response)
  if (problem !== null && (status === 400 || status === 403)) {
    return judgeRefused(status, problem, { isReply: parent !== null })
  }
  return unknown(response, 'the post was made')
}

/** The address of a post. */
export function addressOf(site: string, username: string, id: string): string {
  return `${site}/${encodeURIComponent(username)}/status/${id}`
}

const SUSPECTED_MS = 15 * 60_000
const DAILY_MS = 60 * 60_000

/** A 400 or 403 comes before anything is made. Most have no name of their own, and are told apart by their words. */
function judgeRefused(
  status: 400 | 403,
  { name, detail }: Problem,
  { isReply }: { isReply: boolean },
): Refusal {
  if (/duplicate content/i.test(detail)) {
    return rejected('duplicate_refused', 'X already has a post with the same content from this account.')
  }
  // Codes 226, 344 and 185 of version 1.1, by their words: https://github.com/trevorhobenshield/twitter-api-client/issues/238 (2024-11-18),
  // https://github.com/Xtremilicious/twitter-retweet-bot/issues/4 (2022-09-26). None of them names a time.
  if (/might be automated/i.test(detail)) return rateLimited(SUSPECTED_MS)
  if (/daily limit for sending|over daily status update limit/i.test(detail)) return rateLimited(DAILY_MS)
  if (/deleted or not visible/i.test(detail)) {
    return rejected(
      'parent_missing',
      'The post before this one is no longer on X, so this one would not be a reply to it.',
    )
  }
  if (/media ids? (?:are|is) invalid/i.test(detail)) return MEDIA_GONE
  if (/too long|shorter/i.test(detail)) {
    return rejected('content_refused', 'The text is longer than X allows this account.')
  }
  // With either status: https://github.com/plhery/node-twitter-api-v2/issues/583 (2025-04-30).
  if (status === 400 || name === 'invalid-request')
    return rejected('content_refused', 'X refuses the post as invalid.')
  // https://docs.x.com/x-api/posts/manage-tweets/integrate, "Post creation limits".
  return isReply
    ? rejected(
        'permission_refused',
        "X does not let this app reply here. X limits replies by apps. Your server operator can check the app's access level in the X developer console.",
      )
    : rejected(
        'permission_refused',
        'X does not allow this post: its content, its reply settings or its community are not open to this account or app.',
      )
}
