import type {
  IAuthenticateGeneric,
  Icon,
  ICredentialTestRequest,
  ICredentialType,
  INodeProperties,
} from 'n8n-workflow'

export class PostriderApi implements ICredentialType {
  name = 'postriderApi'

  displayName = 'Postrider API'

  icon: Icon = { light: 'file:../icons/postrider.svg', dark: 'file:../icons/postrider.dark.svg' }

  properties: INodeProperties[] = [
    {
      displayName: 'Server',
      name: 'baseUrl',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'https://posts.example.com',
      description: 'The address of your Postrider server, as in its BASE_URL',
    },
    {
      displayName: 'Agent Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description: 'Begins with pr_. The trigger needs a key with the permission webhooks:write.',
    },
  ]

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
  }

  test: ICredentialTestRequest = {
    // A redirect would take the key along.
    request: { baseURL: '={{$credentials.baseUrl}}', url: '/agent/v1/me', disableFollowRedirect: true },
  }
}
