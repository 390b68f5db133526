import type {
  IDataObject,
  IHookFunctions,
  INodeType,
  INodeTypeDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow'
import { NodeConnectionTypes } from 'n8n-workflow'
import { ask } from '../Postrider/requests'
import { signedEvent } from './verify'

/** What the workflow keeps of its endpoint. The server shows the secret once. */
type Kept = { endpointId?: string; secret?: string }

type Endpoint = { endpointId: string; url: string; status: string }

export class PostriderTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Postrider Trigger',
    name: 'postriderTrigger',
    icon: { light: 'file:../../icons/postrider.svg', dark: 'file:../../icons/postrider.dark.svg' },
    group: ['trigger'],
    version: [1],
    description: 'Starts when a post is published, fails, or waits for approval',
    subtitle: '={{ $parameter["eventTypes"].join(", ") }}',
    defaults: { name: 'Postrider Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'postriderApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties: [
      {
        displayName: 'Events',
        name: 'eventTypes',
        type: 'multiOptions',
        required: true,
        default: ['post.published', 'post.failed'],
        options: [
          { name: 'Approval Decided', value: 'approval.decided' },
          { name: 'Approval Requested', value: 'approval.requested' },
          { name: 'Post Cancelled', value: 'post.cancelled' },
          { name: 'Post Created', value: 'post.created' },
          { name: 'Post Delayed', value: 'post.delayed' },
          { name: 'Post Edited', value: 'post.edited' },
          { name: 'Post Expired', value: 'post.expired' },
          { name: 'Post Failed', value: 'post.failed' },
          { name: 'Post Partly Published', value: 'post.partial' },
          { name: 'Post Published', value: 'post.published' },
          { name: 'Post Scheduled', value: 'post.scheduled' },
          {
            name: 'Post Sent, Result Not Known',
            value: 'post.recovery_required',
            description: 'It may be published: do not publish it again',
          },
          { name: 'Reconnect Needed', value: 'post.reconnect_required' },
        ],
      },
    ],
  }

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        const kept: Kept = this.getWorkflowStaticData('node')
        if (kept.endpointId === undefined || kept.secret === undefined) return false
        const path = `/webhook-endpoints/${kept.endpointId}`
        const found = await ask(this, { method: 'GET', path, absent: [404] })
        return (found as Endpoint | null)?.status === 'active'
      },

      async create(this: IHookFunctions): Promise<boolean> {
        const url = this.getNodeWebhookUrl('default') as string
        // Of an earlier attempt whose answer was lost: nobody knows its secret.
        const endpoints = (await ask(this, {
          method: 'GET',
          path: '/webhook-endpoints',
        })) as unknown as Endpoint[]
        for (const { endpointId } of endpoints.filter((endpoint) => endpoint.url === url)) {
          await ask(this, { method: 'DELETE', path: `/webhook-endpoints/${endpointId}`, absent: [404] })
        }
        const { name = '' } = this.getWorkflow()
        const body = {
          url,
          eventTypes: this.getNodeParameter('eventTypes') as string[],
          description: `n8n: ${name}`.slice(0, 200),
        }
        const made = (await ask(this, { method: 'POST', path: '/webhook-endpoints', body })) as Kept
        const kept: Kept = this.getWorkflowStaticData('node')
        kept.endpointId = made.endpointId
        kept.secret = made.secret
        return true
      },

      async delete(this: IHookFunctions): Promise<boolean> {
        const kept: Kept = this.getWorkflowStaticData('node')
        if (kept.endpointId !== undefined) {
          // A key that was revoked has taken its endpoints with it.
          const absent = [401, 404]
          await ask(this, { method: 'DELETE', path: `/webhook-endpoints/${kept.endpointId}`, absent })
        }
        delete kept.endpointId
        delete kept.secret
        return true
      },
    },
  }

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const { rawBody } = this.getRequestObject() as { rawBody?: Buffer }
    const { secret }: Kept = this.getWorkflowStaticData('node')
    const header = this.getHeaderData()['x-service-signature']
    const event =
      secret !== undefined && Buffer.isBuffer(rawBody) ? signedEvent(rawBody, header, secret) : null
    if (event === null) {
      this.getResponseObject().status(401).send('The signature does not fit.').end()
      return { noWebhookResponse: true }
    }
    return { workflowData: [this.helpers.returnJsonArray(event as IDataObject)] }
  }
}
