import { startSandboxNetwork } from '@postrider/sandbox-network'

/** The sandbox network as a process, for its own limit. */
const network = await startSandboxNetwork({ memory: true })
process.send?.({ url: network.url })
process.once('disconnect', () => void network.close())
