import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Effect, FaultyAnswer } from './faults.ts'
import { customRefusal, refuse } from './refusals.ts'
import type { Answer } from './refusals.ts'

/** Waits as long as the effect says. False when the network stops meanwhile: then nothing more may happen. */
export async function applyDelay({ delayMs }: Effect, stopping: AbortSignal): Promise<boolean> {
  if (delayMs === 0) return true
  await delay(delayMs, undefined, { signal: stopping }).catch((error: unknown) => {
    if (!stopping.aborted) throw error
  })
  return !stopping.aborted
}

/** Sends an answer as it stands. */
export function send(reply: FastifyReply, { httpStatus, body, headers }: Answer): FastifyReply {
  if (headers !== undefined) void reply.headers(headers)
  return reply.code(httpStatus).send(body)
}

/** Sends an answer, or what a fault makes of it. */
export function deliver(
  request: FastifyRequest,
  reply: FastifyReply,
  faultyAnswer: FaultyAnswer,
  answer: Answer,
): FastifyReply {
  switch (faultyAnswer.is) {
    case 'none':
      return send(reply, answer)
    case 'refusal': {
      const { code, retryAfterSeconds } = faultyAnswer
      return send(reply, refuse(code, retryAfterSeconds === undefined ? {} : { retryAfterSeconds }))
    }
    case 'custom_refusal':
      return send(
        reply,
        customRefusal(faultyAnswer.httpStatus, faultyAnswer.code, 'Refused, as ordered by a rehearsal.'),
      )
    case 'garbage':
      return reply
        .code(200)
        .type('text/html; charset=utf-8')
        .send('<!doctype html><title>Welcome</title><p>Not what you expected.')
    case 'hang':
      return reply.hijack()
    case 'drop':
      return drop(request, reply)
    case 'truncate':
      return truncate(request, reply, answer)
    default:
      return faultyAnswer satisfies never
  }
}

/** Closes the connection without an answer. */
export function drop(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  void reply.hijack()
  request.raw.socket.destroy()
  return reply
}

/** Promises the whole answer by its length, sends half of it, and closes the connection. */
function truncate(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply {
  void reply.hijack()
  const whole = Buffer.from(JSON.stringify(answer.body))
  reply.raw.writeHead(answer.httpStatus, {
    ...answer.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': whole.length,
  })
  reply.raw.write(whole.subarray(0, whole.length >> 1), () => request.raw.socket.destroy())
  return reply
}
