import { app } from '@postrider/contract'

/** `METHOD /path` of every operation that the dashboard may call, by its id. */
export function operationAddresses(): Record<string, string> {
  return Object.fromEntries(app.appOperations.map(({ id, at }) => [id, at]))
}
