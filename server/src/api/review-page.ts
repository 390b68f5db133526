import type { FastifyInstance } from 'fastify'
import { refuse } from '../platform/refusal.ts'
import { isUuid } from '../platform/uuid.ts'
import { htmlPage, PAGE_POLICY } from './html.ts'
import type { SendProblem } from './problem.ts'

/**
 * Serves the page that the `reviewUrl` of an approval points to: how a person decides. Anybody may open it, so it
 * shows nothing of the post, asks for no credential, decides nothing, and looks the same for ids that nobody has.
 */
export function mountReviewPage(app: FastifyInstance, baseUrl: string, sendProblem: SendProblem): void {
  app.get<{ Params: { approvalId: string } }>('/review/:approvalId', (request, reply) => {
    request.operationId = 'reviewPage'
    const approvalId = request.params.approvalId.toLowerCase()
    if (!isUuid(approvalId)) {
      return sendProblem(request, reply, refuse('not_found', 'There is no approval under this address.'))
    }
    reply.header('content-security-policy', PAGE_POLICY)
    return reply.header('content-type', 'text/html; charset=utf-8').send(render(approvalId, baseUrl))
  })
}

/** `approvalId` is a UUID: nothing in it needs escaping. */
function render(approvalId: string, baseUrl: string): string {
  const command = (words: string) => `<pre><code>npm run postrider -- approval ${words}</code></pre>`
  const body = `<h1>A post waits for a person</h1>
<p>An agent has asked to publish something at once. Whoever runs this server decides, on the machine it runs on and in
the folder it is installed in. See exactly what would be published, and where:</p>
${command(`show ${approvalId}`)}
<p>Publish it now:</p>
${command(`approve ${approvalId}`)}
<p>Or keep it back, and tell the agent why:</p>
${command(`reject ${approvalId} --note &quot;why&quot;`)}
<p>A decision counts once, and only for what was shown. If the post is edited first, that is a new request. A request
that nobody decides in time ends without publishing anything.</p>
<footer>The agent's credential cannot decide. This page shows nothing of the post and asks for no password. ·
<a href="${baseUrl}/openapi">API reference</a></footer>`
  return htmlPage('A post waits for a person – Postrider', body)
}
