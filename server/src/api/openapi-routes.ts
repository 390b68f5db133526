import type { FastifyInstance } from 'fastify'
import type { Operation } from '@postrider/contract'

export function mountOpenApi(
  _app: FastifyInstance,
  _options: { baseUrl: string; version: string; operations: readonly Operation[] },
): void {}
