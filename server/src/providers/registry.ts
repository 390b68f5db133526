import type { Adapter, Providers } from './port.ts'
import { sandboxProfessional, sandboxShort } from './sandbox/sandbox.ts'

const adapters: readonly Adapter[] = [sandboxShort, sandboxProfessional]

/** The adapters that are enabled, by provider name. */
export const providers: Providers = new Map(adapters.map((adapter) => [adapter.provider, adapter]))
