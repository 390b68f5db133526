import type { Permission } from '@postrider/contract'
import type { Caller } from './route.ts'

/** Who reads or changes something, and what they may do. The engine, which is nobody's, is not among them. */
export type Actor = {
  readonly type: 'agent_key' | 'oauth' | 'person'
  readonly name: string
  readonly permissions: readonly Permission[]
}

export function actorOf({ credential }: Pick<Caller, 'credential'>): Actor {
  const { type, name, permissions } = credential
  return { type, name, permissions }
}
