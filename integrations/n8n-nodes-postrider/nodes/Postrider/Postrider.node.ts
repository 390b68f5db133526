import type {
  IExecuteFunctions,
  ILoadOptionsFunctions,
  INodeExecutionData,
  INodePropertyOptions,
  INodeType,
  INodeTypeDescription,
  JsonObject,
} from 'n8n-workflow'
import { NodeApiError, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow'
import { fields } from './fields'
import { operations } from './operations'
import { ask } from './requests'

type Channel = {
  channelId: string
  displayName: string
  provider: string
  groups: Array<{ groupId: string; name: string }>
}

async function readChannels(functions: ILoadOptionsFunctions): Promise<Channel[]> {
  return (await ask(functions, { method: 'GET', path: '/channels' })) as unknown as Channel[]
}

function channelOptions(channels: Channel[]): INodePropertyOptions[] {
  return channels.map(({ channelId, displayName, provider }) => ({
    name: `${displayName} (${provider})`,
    value: channelId,
  }))
}

export class Postrider implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Postrider',
    name: 'postrider',
    icon: { light: 'file:../../icons/postrider.svg', dark: 'file:../../icons/postrider.dark.svg' },
    group: ['output'],
    version: [1],
    subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
    description: 'Plan and publish posts to social networks, each one once',
    defaults: { name: 'Postrider' },
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    usableAsTool: true,
    credentials: [{ name: 'postriderApi', required: true }],
    properties: fields,
  }

  methods = {
    loadOptions: {
      async getChannels(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
        return channelOptions(await readChannels(this))
      },
      /** For what a group stands for all of its channels in. */
      async getChannelsAndGroups(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
        const channels = await readChannels(this)
        const groups = new Map(
          channels.flatMap((channel) => channel.groups.map((one) => [one.groupId, one.name])),
        )
        const options = [...groups].map(([value, name]) => ({ name: `${name} (channel group)`, value }))
        return [...options, ...channelOptions(channels)]
      },
    },
  }

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const returned: INodeExecutionData[] = []
    const items = this.getInputData()
    for (let item = 0; item < items.length; item += 1) {
      try {
        const resource = this.getNodeParameter('resource', item) as string
        const operation = this.getNodeParameter('operation', item) as string
        const run = operations[`${resource}:${operation}`]
        if (run === undefined) {
          throw new NodeOperationError(this.getNode(), `There is no ${operation} for ${resource}.`, {
            itemIndex: item,
          })
        }
        const answer = await run(this, item)
        const all = Array.isArray(answer) ? answer : [answer]
        returned.push(...all.map((json) => ({ json, pairedItem: { item } })))
      } catch (error) {
        if (!this.continueOnFail()) {
          // Both give back an error that is one of theirs already.
          if (error instanceof NodeOperationError) throw new NodeOperationError(this.getNode(), error)
          throw new NodeApiError(this.getNode(), error as JsonObject, { itemIndex: item })
        }
        const { message, description } = error as NodeOperationError
        returned.push({ json: { error: message, description: description ?? '' }, pairedItem: { item } })
      }
    }
    return [returned]
  }
}
