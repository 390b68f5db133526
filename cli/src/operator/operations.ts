// Printed from the contract by `npm run generate`. Not edited by hand.

/** One field of a request. `list`: texts with commas between them. `json`: it is written as JSON. */
export type Field = {
  readonly in: 'path' | 'query' | 'body'
  /** Where it stands there. */
  readonly at: readonly string[]
  readonly type: 'text' | 'whole' | 'number' | 'yes' | 'time' | 'list' | 'json'
  readonly required?: true
  readonly choices?: readonly string[]
  readonly says: string
}

export type Shape = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly says: string
  /** Further sentences. */
  readonly more: string
  readonly fields: Readonly<Record<string, Field>>
}

export const operations = {
  updateWorkspace: {
    method: 'POST',
    path: '/app/api/workspaces/{workspaceId}',
    says: 'Change a workspace',
    more: 'What is left out stays. Scheduled posts keep their deadlines.',
    fields: {
      name: { in: 'body', at: ['name'], type: 'text', says: '' },
      timeZone: { in: 'body', at: ['timeZone'], type: 'text', says: 'An IANA name.' },
      allowedHours: {
        in: 'body',
        at: ['allowedHours'],
        type: 'number',
        says: 'How many hours after its time a post may still go out.',
      },
      approvalPolicy: {
        in: 'body',
        at: ['approvalPolicy'],
        type: 'json',
        says: 'What waits for a person besides immediate posts; what is left out asks for nothing.',
      },
      approvalPolicyAll: {
        in: 'body',
        at: ['approvalPolicy', 'all'],
        type: 'yes',
        says: 'Whether everything that a credential would publish waits for a person.',
      },
      approvalPolicyWithinMinutes: {
        in: 'body',
        at: ['approvalPolicy', 'withinMinutes'],
        type: 'whole',
        says: 'What a credential would publish within so many minutes from now waits for a person: by a create, or by a command that gives it such a time or changes it so shortly before.',
      },
      approvalPolicyFirstPosts: {
        in: 'body',
        at: ['approvalPolicy', 'firstPosts'],
        type: 'whole',
        says: 'What a credential would publish waits for a person until so many of its posts have been approved.',
      },
      linkTags: {
        in: 'body',
        at: ['linkTags'],
        type: 'json',
        says: 'What is added to the links of posts that are created or edited from then on. Links that have one of the parameters stay as they are, and so do links in code.',
      },
      linkTagsParameters: { in: 'body', at: ['linkTags', 'parameters'], type: 'json', says: '' },
      linkTagsHosts: {
        in: 'body',
        at: ['linkTags', 'hosts'],
        type: 'list',
        says: 'Only links to these hosts, and to those below them; of all, where none is named.',
      },
    },
  },
  listMembers: {
    method: 'GET',
    path: '/app/api/workspaces/{workspaceId}/members',
    says: 'List members',
    more: 'Those who have been in the workspace longest first.',
    fields: {},
  },
  listKeys: {
    method: 'GET',
    path: '/app/api/workspaces/{workspaceId}/keys',
    says: 'List agent keys',
    more: 'Revoked and expired ones included, oldest first.',
    fields: {},
  },
  createKey: {
    method: 'POST',
    path: '/app/api/workspaces/{workspaceId}/keys',
    says: 'Create an agent key',
    more: 'It acts in your name, and never may do more than you. The key is shown only once.',
    fields: {
      name: { in: 'body', at: ['name'], type: 'text', required: true, says: '' },
      permissions: {
        in: 'body',
        at: ['permissions'],
        type: 'list',
        required: true,
        choices: [
          'channels:read',
          'calendar:read',
          'posts:read',
          'posts:write',
          'media:read',
          'media:write',
          'ai:generate',
          'webhooks:write',
        ],
        says: '',
      },
      expiresAt: { in: 'body', at: ['expiresAt'], type: 'time', says: '' },
      channelIds: {
        in: 'body',
        at: ['limits', 'channelIds'],
        type: 'list',
        says: 'The channels that it may post to, and whose posts it sees.',
      },
      label: {
        in: 'body',
        at: ['limits', 'label'],
        type: 'text',
        says: 'The label that each post has to have that it creates, sees or changes.',
      },
      postsPerDay: {
        in: 'body',
        at: ['limits', 'postsPerDay'],
        type: 'whole',
        says: 'How many posts it may create on one day of the workspace’s time zone. Every post that it creates counts, drafts and posts that were cancelled since included; checks, edits, other commands and repeats of a request do not.',
      },
      publishWithinHours: {
        in: 'body',
        at: ['limits', 'publishWithinHours'],
        type: 'number',
        says: 'How many hours from now the latest `publishAt` may lie that it gives to anything.',
      },
      draftsOnly: {
        in: 'body',
        at: ['limits', 'draftsOnly'],
        type: 'yes',
        says: 'Whether it may only check, and create, edit and cancel drafts: it schedules nothing, asks for no immediate post, and changes nothing that has a time.',
      },
      networks: {
        in: 'body',
        at: ['limits', 'networks'],
        type: 'list',
        says: 'The networks that it may be used from: CIDR, IPv4 or IPv6.',
      },
      approval: {
        in: 'body',
        at: ['limits', 'approval'],
        type: 'json',
        says: 'What waits for a person besides immediate posts; what is left out asks for nothing.',
      },
      approvalAll: {
        in: 'body',
        at: ['limits', 'approval', 'all'],
        type: 'yes',
        says: 'Whether everything that a credential would publish waits for a person.',
      },
      approvalWithinMinutes: {
        in: 'body',
        at: ['limits', 'approval', 'withinMinutes'],
        type: 'whole',
        says: 'What a credential would publish within so many minutes from now waits for a person: by a create, or by a command that gives it such a time or changes it so shortly before.',
      },
      approvalFirstPosts: {
        in: 'body',
        at: ['limits', 'approval', 'firstPosts'],
        type: 'whole',
        says: 'What a credential would publish waits for a person until so many of its posts have been approved.',
      },
    },
  },
  limitKey: {
    method: 'POST',
    path: '/app/api/workspaces/{workspaceId}/keys/{keyId}/limits',
    says: 'Change what an agent key is limited to',
    more: 'All of its limits: what is left out limits nothing. They hold from its next request on, and change nothing that it has planned.',
    fields: {
      keyId: { in: 'path', at: ['keyId'], type: 'text', required: true, says: 'Lower-case UUID.' },
      channelIds: {
        in: 'body',
        at: ['channelIds'],
        type: 'list',
        says: 'The channels that it may post to, and whose posts it sees.',
      },
      label: {
        in: 'body',
        at: ['label'],
        type: 'text',
        says: 'The label that each post has to have that it creates, sees or changes.',
      },
      postsPerDay: {
        in: 'body',
        at: ['postsPerDay'],
        type: 'whole',
        says: 'How many posts it may create on one day of the workspace’s time zone. Every post that it creates counts, drafts and posts that were cancelled since included; checks, edits, other commands and repeats of a request do not.',
      },
      publishWithinHours: {
        in: 'body',
        at: ['publishWithinHours'],
        type: 'number',
        says: 'How many hours from now the latest `publishAt` may lie that it gives to anything.',
      },
      draftsOnly: {
        in: 'body',
        at: ['draftsOnly'],
        type: 'yes',
        says: 'Whether it may only check, and create, edit and cancel drafts: it schedules nothing, asks for no immediate post, and changes nothing that has a time.',
      },
      networks: {
        in: 'body',
        at: ['networks'],
        type: 'list',
        says: 'The networks that it may be used from: CIDR, IPv4 or IPv6.',
      },
      approval: {
        in: 'body',
        at: ['approval'],
        type: 'json',
        says: 'What waits for a person besides immediate posts; what is left out asks for nothing.',
      },
      approvalAll: {
        in: 'body',
        at: ['approval', 'all'],
        type: 'yes',
        says: 'Whether everything that a credential would publish waits for a person.',
      },
      approvalWithinMinutes: {
        in: 'body',
        at: ['approval', 'withinMinutes'],
        type: 'whole',
        says: 'What a credential would publish within so many minutes from now waits for a person: by a create, or by a command that gives it such a time or changes it so shortly before.',
      },
      approvalFirstPosts: {
        in: 'body',
        at: ['approval', 'firstPosts'],
        type: 'whole',
        says: 'What a credential would publish waits for a person until so many of its posts have been approved.',
      },
    },
  },
  revokeKey: {
    method: 'POST',
    path: '/app/api/workspaces/{workspaceId}/keys/{keyId}/revoke',
    says: 'Revoke an agent key',
    more: 'Its next request is refused. What it scheduled stays scheduled. Repeating it is harmless.',
    fields: { keyId: { in: 'path', at: ['keyId'], type: 'text', required: true, says: 'Lower-case UUID.' } },
  },
  stopKey: {
    method: 'POST',
    path: '/app/api/workspaces/{workspaceId}/keys/{keyId}/stop',
    says: 'Revoke an agent key and cancel its posts',
    more: 'In one act: its next request is refused, and everything is cancelled that it gave a time, or that waits for approval in its name, and that has not begun to publish. Drafts that nothing would publish stay. Repeating it is harmless.',
    fields: { keyId: { in: 'path', at: ['keyId'], type: 'text', required: true, says: 'Lower-case UUID.' } },
  },
  listApps: {
    method: 'GET',
    path: '/app/api/workspaces/{workspaceId}/apps',
    says: 'List connected apps',
    more: 'Those that were cut off included, the latest first.',
    fields: {},
  },
  limitApp: {
    method: 'POST',
    path: '/app/api/workspaces/{workspaceId}/apps/{grantId}/limits',
    says: 'Change what a connected app is limited to',
    more: 'All of its limits: what is left out limits nothing. They hold from its next request on, and change nothing that it has planned.',
    fields: {
      grantId: { in: 'path', at: ['grantId'], type: 'text', required: true, says: 'Lower-case UUID.' },
      channelIds: {
        in: 'body',
        at: ['channelIds'],
        type: 'list',
        says: 'The channels that it may post to, and whose posts it sees.',
      },
      label: {
        in: 'body',
        at: ['label'],
        type: 'text',
        says: 'The label that each post has to have that it creates, sees or changes.',
      },
      postsPerDay: {
        in: 'body',
        at: ['postsPerDay'],
        type: 'whole',
        says: 'How many posts it may create on one day of the workspace’s time zone. Every post that it creates counts, drafts and posts that were cancelled since included; checks, edits, other commands and repeats of a request do not.',
      },
      publishWithinHours: {
        in: 'body',
        at: ['publishWithinHours'],
        type: 'number',
        says: 'How many hours from now the latest `publishAt` may lie that it gives to anything.',
      },
      draftsOnly: {
        in: 'body',
        at: ['draftsOnly'],
        type: 'yes',
        says: 'Whether it may only check, and create, edit and cancel drafts: it schedules nothing, asks for no immediate post, and changes nothing that has a time.',
      },
      networks: {
        in: 'body',
        at: ['networks'],
        type: 'list',
        says: 'The networks that it may be used from: CIDR, IPv4 or IPv6.',
      },
      approval: {
        in: 'body',
        at: ['approval'],
        type: 'json',
        says: 'What waits for a person besides immediate posts; what is left out asks for nothing.',
      },
      approvalAll: {
        in: 'body',
        at: ['approval', 'all'],
        type: 'yes',
        says: 'Whether everything that a credential would publish waits for a person.',
      },
      approvalWithinMinutes: {
        in: 'body',
        at: ['approval', 'withinMinutes'],
        type: 'whole',
        says: 'What a credential would publish within so many minutes from now waits for a person: by a create, or by a command that gives it such a time or changes it so shortly before.',
      },
      approvalFirstPosts: {
        in: 'body',
        at: ['approval', 'firstPosts'],
        type: 'whole',
        says: 'What a credential would publish waits for a person until so many of its posts have been approved.',
      },
    },
  },
  revokeApp: {
    method: 'POST',
    path: '/app/api/workspaces/{workspaceId}/apps/{grantId}/revoke',
    says: 'Revoke a connected app',
    more: 'Its next request is refused, and its tokens can no longer be refreshed. What it scheduled stays scheduled. Repeating it is harmless.',
    fields: {
      grantId: { in: 'path', at: ['grantId'], type: 'text', required: true, says: 'Lower-case UUID.' },
    },
  },
  stopApp: {
    method: 'POST',
    path: '/app/api/workspaces/{workspaceId}/apps/{grantId}/stop',
    says: 'Revoke a connected app and cancel its posts',
    more: 'In one act: its next request is refused, and everything is cancelled that it gave a time, or that waits for approval in its name, and that has not begun to publish. Drafts that nothing would publish stay. Repeating it is harmless.',
    fields: {
      grantId: { in: 'path', at: ['grantId'], type: 'text', required: true, says: 'Lower-case UUID.' },
    },
  },
  listEndpoints: {
    method: 'GET',
    path: '/app/api/workspaces/{workspaceId}/endpoints',
    says: 'List webhook endpoints',
    more: 'Oldest first.',
    fields: {},
  },
  createEndpoint: {
    method: 'POST',
    path: '/app/api/workspaces/{workspaceId}/endpoints',
    says: 'Create a webhook endpoint',
    more: 'Its signing secret is shown only once.',
    fields: {
      url: { in: 'body', at: ['url'], type: 'text', required: true, says: 'An https address.' },
      eventTypes: {
        in: 'body',
        at: ['eventTypes'],
        type: 'list',
        required: true,
        choices: [
          'post.scheduled',
          'post.published',
          'post.partial',
          'post.failed',
          'post.delayed',
          'post.reconnect_required',
          'post.recovery_required',
          'post.cancelled',
          'post.expired',
          'post.created',
          'post.edited',
          'approval.requested',
          'approval.decided',
        ],
        says: '',
      },
      description: { in: 'body', at: ['description'], type: 'text', says: '' },
      autoReplay: {
        in: 'body',
        at: ['autoReplay'],
        type: 'yes',
        says: 'Whether deliveries of the last 24 hours that failed are sent again once the endpoint answers. Refusals for good are not.',
      },
    },
  },
  updateEndpoint: {
    method: 'POST',
    path: '/app/api/workspaces/{workspaceId}/endpoints/{endpointId}',
    says: 'Change a webhook endpoint',
    more: 'What is left out stays. What is pending goes to the new address.',
    fields: {
      endpointId: { in: 'path', at: ['endpointId'], type: 'text', required: true, says: 'Lower-case UUID.' },
      url: { in: 'body', at: ['url'], type: 'text', says: 'An https address.' },
      eventTypes: {
        in: 'body',
        at: ['eventTypes'],
        type: 'list',
        choices: [
          'post.scheduled',
          'post.published',
          'post.partial',
          'post.failed',
          'post.delayed',
          'post.reconnect_required',
          'post.recovery_required',
          'post.cancelled',
          'post.expired',
          'post.created',
          'post.edited',
          'approval.requested',
          'approval.decided',
        ],
        says: '',
      },
      description: { in: 'body', at: ['description'], type: 'text', says: '' },
      autoReplay: {
        in: 'body',
        at: ['autoReplay'],
        type: 'yes',
        says: 'Whether deliveries of the last 24 hours that failed are sent again once the endpoint answers. Refusals for good are not.',
      },
    },
  },
  rotateEndpointSecret: {
    method: 'POST',
    path: '/app/api/workspaces/{workspaceId}/endpoints/{endpointId}/rotate',
    says: 'Rotate the signing secret',
    more: 'The new one is shown only once. The one before signs beside it for 24 hours, or ends at once when it has leaked.',
    fields: {
      endpointId: { in: 'path', at: ['endpointId'], type: 'text', required: true, says: 'Lower-case UUID.' },
      atOnce: { in: 'body', at: ['atOnce'], type: 'yes', required: true, says: '' },
    },
  },
  disableEndpoint: {
    method: 'POST',
    path: '/app/api/workspaces/{workspaceId}/endpoints/{endpointId}/disable',
    says: 'Disable an endpoint',
    more: 'Nothing more is delivered; what is pending is given up, and can be replayed.',
    fields: {
      endpointId: { in: 'path', at: ['endpointId'], type: 'text', required: true, says: 'Lower-case UUID.' },
    },
  },
  enableEndpoint: {
    method: 'POST',
    path: '/app/api/workspaces/{workspaceId}/endpoints/{endpointId}/enable',
    says: 'Enable an endpoint',
    more: 'Delivers from the next event on. Refused where its signing secret is lost: rotate that first.',
    fields: {
      endpointId: { in: 'path', at: ['endpointId'], type: 'text', required: true, says: 'Lower-case UUID.' },
    },
  },
  deleteEndpoint: {
    method: 'POST',
    path: '/app/api/workspaces/{workspaceId}/endpoints/{endpointId}/delete',
    says: 'Delete a webhook endpoint',
    more: 'Nothing more is sent to it, and its secrets are deleted at once.',
    fields: {
      endpointId: { in: 'path', at: ['endpointId'], type: 'text', required: true, says: 'Lower-case UUID.' },
    },
  },
  testEndpoint: {
    method: 'POST',
    path: '/app/api/workspaces/{workspaceId}/endpoints/{endpointId}/test',
    says: 'Send a test event',
    more: 'An invented event of a type that the endpoint wants, signed as any other. Its delivery shows what came of it.',
    fields: {
      endpointId: { in: 'path', at: ['endpointId'], type: 'text', required: true, says: 'Lower-case UUID.' },
      type: {
        in: 'body',
        at: ['type'],
        type: 'text',
        choices: [
          'post.scheduled',
          'post.published',
          'post.partial',
          'post.failed',
          'post.delayed',
          'post.reconnect_required',
          'post.recovery_required',
          'post.cancelled',
          'post.expired',
          'post.created',
          'post.edited',
          'approval.requested',
          'approval.decided',
        ],
        says: '',
      },
    },
  },
  listDeliveries: {
    method: 'GET',
    path: '/app/api/workspaces/{workspaceId}/endpoints/{endpointId}/deliveries',
    says: 'List deliveries',
    more: 'The latest events first. For the next page, send the last `eventId` as `before`.',
    fields: {
      endpointId: { in: 'path', at: ['endpointId'], type: 'text', required: true, says: 'Lower-case UUID.' },
      status: {
        in: 'query',
        at: ['status'],
        type: 'text',
        choices: ['pending', 'sending', 'delivered', 'failed'],
        says: '',
      },
      before: { in: 'query', at: ['before'], type: 'text', says: 'Lower-case UUID.' },
      limit: { in: 'query', at: ['limit'], type: 'whole', says: 'How many items at most.' },
    },
  },
  listDeliveryAttempts: {
    method: 'GET',
    path: '/app/api/workspaces/{workspaceId}/endpoints/{endpointId}/deliveries/{eventId}/attempts',
    says: 'List the attempts at a delivery',
    more: 'Oldest first.',
    fields: {
      endpointId: { in: 'path', at: ['endpointId'], type: 'text', required: true, says: 'Lower-case UUID.' },
      eventId: { in: 'path', at: ['eventId'], type: 'text', required: true, says: 'Lower-case UUID.' },
    },
  },
  resendDelivery: {
    method: 'POST',
    path: '/app/api/workspaces/{workspaceId}/endpoints/{endpointId}/deliveries/{eventId}/resend',
    says: 'Send a delivery again',
    more: 'The same bytes, whatever became of them before.',
    fields: {
      endpointId: { in: 'path', at: ['endpointId'], type: 'text', required: true, says: 'Lower-case UUID.' },
      eventId: { in: 'path', at: ['eventId'], type: 'text', required: true, says: 'Lower-case UUID.' },
    },
  },
  replayDeliveries: {
    method: 'POST',
    path: '/app/api/workspaces/{workspaceId}/endpoints/{endpointId}/replay',
    says: 'Send everything since a time again',
    more: 'All events of its types, or only the deliveries that failed.',
    fields: {
      endpointId: { in: 'path', at: ['endpointId'], type: 'text', required: true, says: 'Lower-case UUID.' },
      since: { in: 'body', at: ['since'], type: 'time', required: true, says: '' },
      onlyFailed: { in: 'body', at: ['onlyFailed'], type: 'yes', required: true, says: '' },
    },
  },
  listApprovals: {
    method: 'GET',
    path: '/app/api/workspaces/{workspaceId}/approvals',
    says: 'List what waits for a person',
    more: 'The oldest request first; with `all`, closed ones, too.',
    fields: { all: { in: 'query', at: ['all'], type: 'yes', says: '' } },
  },
  readApproval: {
    method: 'GET',
    path: '/app/api/workspaces/{workspaceId}/approvals/{approvalId}',
    says: 'Read what would be published',
    more: 'Exactly what would be published where, and its digest.',
    fields: {
      approvalId: { in: 'path', at: ['approvalId'], type: 'text', required: true, says: 'Lower-case UUID.' },
    },
  },
  decideApproval: {
    method: 'POST',
    path: '/app/api/workspaces/{workspaceId}/approvals/{approvalId}/decide',
    says: 'Approve or reject',
    more: 'Counts once, and for exactly what was seen: the `digest` that reading the request gave. Approved posts are scheduled, rejected ones stay drafts.',
    fields: {
      approvalId: { in: 'path', at: ['approvalId'], type: 'text', required: true, says: 'Lower-case UUID.' },
      verdict: {
        in: 'body',
        at: ['verdict'],
        type: 'text',
        required: true,
        choices: ['approve', 'reject'],
        says: '',
      },
      digest: { in: 'body', at: ['digest'], type: 'text', required: true, says: '' },
      note: { in: 'body', at: ['note'], type: 'text', says: '' },
    },
  },
  listManagedChannels: {
    method: 'GET',
    path: '/app/api/workspaces/{workspaceId}/channels',
    says: 'List channels',
    more: 'All of them, disabled ones included.',
    fields: {},
  },
  disableChannel: {
    method: 'POST',
    path: '/app/api/workspaces/{workspaceId}/channels/{channelId}/disable',
    says: 'Disable a channel',
    more: 'What is being sent is finished, and nothing else is begun; what is due waits until its deadline.',
    fields: {
      channelId: { in: 'path', at: ['channelId'], type: 'text', required: true, says: 'Lower-case UUID.' },
    },
  },
  enableChannel: {
    method: 'POST',
    path: '/app/api/workspaces/{workspaceId}/channels/{channelId}/enable',
    says: 'Enable a channel',
    more: 'What is due goes out within seconds.',
    fields: {
      channelId: { in: 'path', at: ['channelId'], type: 'text', required: true, says: 'Lower-case UUID.' },
    },
  },
  resolveDestination: {
    method: 'POST',
    path: '/app/api/workspaces/{workspaceId}/posts/{postId}/resolve',
    says: 'Settle a result that cannot be proven',
    more: 'By what you saw at the provider; your word is kept as evidence with your name. `published`: it is out, under this id. `absent`: it is not, and is published now. `failed`: it is not, and nothing more is sent by itself. That something is not out counts only once the call had time to show.',
    fields: {
      postId: { in: 'path', at: ['postId'], type: 'text', required: true, says: 'Lower-case UUID.' },
      channelId: { in: 'body', at: ['channelId'], type: 'text', required: true, says: 'Lower-case UUID.' },
      controlToken: {
        in: 'body',
        at: ['controlToken'],
        type: 'text',
        required: true,
        says: 'What the destination had when you looked.',
      },
      finding: {
        in: 'body',
        at: ['finding'],
        type: 'text',
        required: true,
        choices: ['published', 'absent', 'failed'],
        says: '',
      },
      remoteId: {
        in: 'body',
        at: ['remoteId'],
        type: 'text',
        says: 'With `published`: its id at the provider, or its address where that tells the id.',
      },
      url: { in: 'body', at: ['url'], type: 'text', says: 'With `published`: its public address.' },
      note: { in: 'body', at: ['note'], type: 'text', says: 'How you know.' },
    },
  },
  readWorkspace: {
    method: 'GET',
    path: '/app/api/workspaces/{workspaceId}',
    says: 'Read a workspace',
    more: 'Its name and settings.',
    fields: {},
  },
} as const satisfies Record<string, Shape>

/** What `all` means in a list, which leaves out what is given by name only. */
export const allOf: Readonly<Record<string, readonly string[]>> = {
  permissions: [
    'channels:read',
    'calendar:read',
    'posts:read',
    'posts:write',
    'media:read',
    'media:write',
    'ai:generate',
  ],
  eventTypes: [
    'post.scheduled',
    'post.published',
    'post.partial',
    'post.failed',
    'post.delayed',
    'post.reconnect_required',
    'post.recovery_required',
    'post.cancelled',
    'post.expired',
  ],
}
