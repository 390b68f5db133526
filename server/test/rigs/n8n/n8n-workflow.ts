/* What the nodes for n8n load of n8n-workflow when they run, as far as they see it: the real package is 140 MB. */

export const NodeConnectionTypes = { Main: 'main' }

type Details = { message?: string; description?: string; httpCode?: string }

export class NodeApiError extends Error {
  readonly description: string | undefined
  readonly httpCode: string | null = null
  readonly context: Record<string, unknown> = {}

  constructor(
    _node: unknown,
    error: Error,
    { message = error.message, description, httpCode }: Details = {},
  ) {
    super(message)
    if (error instanceof NodeApiError) return error
    this.description = description
    this.httpCode = httpCode ?? null
  }
}

export class NodeOperationError extends Error {
  readonly description: string | undefined

  constructor(_node: unknown, error: Error | string) {
    super(typeof error === 'string' ? error : error.message)
    if (error instanceof NodeOperationError) return error
  }
}
