import { Code } from '../../ui/code.tsx'
import { agentClients, isReachableFromOutside } from './agent-clients.ts'
import styles from './developers.module.css'

/** One line for each usual client of MCP, with the address of this server. */
export function ConnectAnAgent() {
  const url = new URL('mcp', document.baseURI).href
  return (
    <section className={styles.section} aria-labelledby="connect-an-agent">
      <h2 id="connect-an-agent">Connect an agent</h2>
      <p>
        The client opens your browser. You sign in, and choose a workspace and what the agent may do. No key
        is needed.
      </p>
      {agentClients(url).map(({ name, hint, line }) => (
        <Code key={name} label={`${name}: ${hint}`} text={line} />
      ))}
      {isReachableFromOutside(url) ? null : (
        <p>Claude and ChatGPT on the web cannot reach this address: they need a public one, with https.</p>
      )}
    </section>
  )
}
