import { Code } from '../../ui/code.tsx'
import { agentClients, isReachableFromOutside } from './agent-clients.ts'
import styles from './developers.module.css'
import { words } from './words.ts'

/** One line for each usual client of MCP, with the address of this server. */
export function ConnectAnAgent() {
  const url = new URL('mcp', document.baseURI).href
  return (
    <section className={styles.section} aria-labelledby="connect-an-agent">
      <h2 id="connect-an-agent">{words.connect}</h2>
      <p>{words.connectHint}</p>
      {agentClients(url).map(({ name, hint, line }) => (
        <Code key={name} label={`${name}: ${hint}`} text={line} />
      ))}
      {isReachableFromOutside(url) ? null : <p>{words.notReachable}</p>}
    </section>
  )
}
