import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { send } from './answering.ts'
import { refuse } from './refusals.ts'

/** Turns what Fastify could not accept into a refusal, and a fault of ours into a bare 500. */
export function renderError(
  error: FastifyError,
  _request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const httpStatus = error.statusCode ?? 500
  if (httpStatus >= 500) {
    process.stderr.write(`${error.stack ?? error.message}\n`)
    return send(reply, refuse('internal_error'))
  }
  return send(reply, refuse('invalid_request', { httpStatus, message: explain(error) }))
}

function explain({ message, validation, validationContext = 'body' }: FastifyError): string {
  const [problem] = validation ?? []
  const unknown = problem?.params['additionalProperty']
  if (problem === undefined || typeof unknown !== 'string') return message
  return `${validationContext}${problem.instancePath}: unknown field "${unknown}".`
}
