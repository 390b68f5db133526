import type { Bytes } from '@postrider/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PUBLIC_MEDIA_PATH, type PublicMediaPass } from '../../operations/public-media-pass.ts'
import { isRefusal, refuse, type Refusal } from '../../operations/refusal.ts'
import { sendBytes } from './bytes-answer.ts'
import { disconnectSignal } from '../request/json-operation.ts'
import { problemSender } from '../documents/problem.ts'
import { ownRateLimit } from './rate-limits.ts'

export type PublicMediaParts = {
  /** What an address stands for, by the text at its end; null where that was not made here. */
  readonly read: (name: string) => PublicMediaPass | null
  readonly open: (pass: PublicMediaPass, gone: AbortSignal) => Promise<Bytes | Refusal<'link_not_valid'>>
  readonly baseUrl: string
}

/** A network that reads a long video in ranges asks often, and several times at once. */
const REQUESTS_PER_MINUTE = 120
const AT_ONCE = 8
/** For all addresses together: each may keep a file open. */
const AT_ONCE_IN_ALL = 64
const RETRY_AFTER_SECONDS = 10

/** What an address gives is its holder's alone, and no longer than the address is good. */
const NOT_KEPT = { 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' }

/** Serves media to networks that fetch it, at addresses that were made for one file, one destination and a short time. */
export function mountPublicMedia(app: FastifyInstance, { read, open, baseUrl }: PublicMediaParts): void {
  const sendProblem = problemSender(baseUrl)
  const requests = ownRateLimit('public media', REQUESTS_PER_MINUTE)
  const places = placesFor(AT_ONCE, AT_ONCE_IN_ALL)

  async function serve(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    request.operationId = 'publicMedia'
    const pass = read((request.params as { '*': string })['*'])
    if (pass === null) return sendProblem(request, reply, NONE)
    const name = `${pass.destinationId} ${pass.mediaId}`
    const { allowed, resetSeconds } = requests.take(name)
    if (!allowed) return sendProblem(request, reply, tooMany(resetSeconds))
    const leave = places.take(name)
    if (leave === null) return sendProblem(request, reply, tooMany(RETRY_AFTER_SECONDS))
    if (reply.raw.destroyed) leave()
    else reply.raw.once('close', leave)
    const bytes = await open(pass, disconnectSignal(reply))
    return isRefusal(bytes)
      ? sendProblem(request, reply, bytes)
      : sendBytes(request, reply, bytes, sendProblem, NOT_KEPT)
  }

  app.route({ method: ['GET', 'HEAD'], url: `${PUBLIC_MEDIA_PATH}/*`, handler: serve })
}

const NONE = refuse('link_not_valid', 'There is no media at this address.')

function tooMany(retryAfterSeconds: number): Refusal<'rate_limited'> {
  const detail = 'This file is being asked for too often. Ask again later, or for fewer ranges at once.'
  return refuse('rate_limited', detail, { retryAfterSeconds })
}

/** So many places under each name, and in all; what is returned gives the place back. Null: there is none. */
function placesFor(perName: number, inAll: number): { readonly take: (name: string) => (() => void) | null } {
  const taken = new Map<string, number>()
  let all = 0
  return {
    take(name) {
      const here = taken.get(name) ?? 0
      if (here >= perName || all >= inAll) return null
      taken.set(name, here + 1)
      all += 1
      return () => {
        const left = (taken.get(name) ?? 1) - 1
        if (left === 0) taken.delete(name)
        else taken.set(name, left)
        all -= 1
      }
    },
  }
}
