import type { INodeProperties } from 'n8n-workflow'
import { contentFields, postFields, type PostFields } from './content-fields'

const on = (resource: string, ...operation: string[]) => ({ show: { resource: [resource], operation } })

const operation = (
  resource: string,
  options: INodeProperties['options'],
  standard: string,
): INodeProperties => ({
  displayName: 'Operation',
  name: 'operation',
  type: 'options',
  noDataExpression: true,
  displayOptions: { show: { resource: [resource] } },
  options,
  default: standard,
})

const propertiesOf = (fields: PostFields) => Object.values(fields).map(({ property }) => property)
const byName = (properties: INodeProperties[]) =>
  properties.sort((a, b) => a.displayName.localeCompare(b.displayName))

const text = contentFields.text.property
const labels = postFields.labels.property

const channels: INodeProperties = {
  displayName: 'Channel Names or IDs',
  name: 'channelIds',
  type: 'multiOptions',
  required: true,
  typeOptions: { loadOptionsMethod: 'getChannels' },
  default: [],
  description:
    'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
}

const channel: INodeProperties = {
  displayName: 'Channel Name or ID',
  name: 'channelId',
  type: 'options',
  typeOptions: { loadOptionsMethod: 'getChannels' },
  default: '',
  description:
    'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
}

/** For what takes a group as all of its channels. */
const orGroups: INodeProperties['typeOptions'] = { loadOptionsMethod: 'getChannelsAndGroups' }

/** When to publish; of `create` and `check` where they schedule. */
const times = (
  show: NonNullable<NonNullable<INodeProperties['displayOptions']>['show']>,
): INodeProperties[] => [
  {
    displayName: 'When',
    name: 'when',
    type: 'options',
    options: [
      { name: 'At a Time', value: 'time' },
      {
        name: 'At the First Free Posting Time',
        value: 'first',
        description: 'The earliest one of the channel that no post has',
      },
      {
        name: 'At This Posting Time',
        value: 'slot',
        description: 'One of the posting times of the channel, if it is free',
      },
      {
        name: 'Next in the Queue',
        value: 'next',
        description: 'The first free posting time after all that is queued on the channel',
      },
    ],
    displayOptions: { show },
    default: 'time',
  },
  {
    displayName: 'Publish At',
    name: 'publishAt',
    type: 'dateTime',
    required: true,
    displayOptions: { show: { ...show, when: ['time'] } },
    default: '',
    description: 'A time without a zone is one in the time zone of the workflow',
  },
  {
    displayName: 'Posting Time',
    name: 'postingTime',
    type: 'string',
    required: true,
    displayOptions: { show: { ...show, when: ['slot'] } },
    default: '',
    placeholder: '2026-12-07T09:00:00+01:00',
    description: 'With its offset from UTC',
  },
]

export const fields: INodeProperties[] = [
  {
    displayName: 'Resource',
    name: 'resource',
    type: 'options',
    noDataExpression: true,
    options: [
      { name: 'Channel', value: 'channel' },
      { name: 'Draft', value: 'draft' },
      { name: 'Media', value: 'media' },
      { name: 'Post', value: 'post' },
    ],
    default: 'post',
  },
  operation(
    'post',
    [
      {
        name: 'Cancel',
        value: 'cancel',
        action: 'Cancel a post',
        description: 'Cancel it on every channel where it is not published yet',
      },
      {
        name: 'Check',
        value: 'check',
        action: 'Check a post',
        description: 'Say what Create would say, and store nothing',
      },
      {
        name: 'Create',
        value: 'create',
        action: 'Create a post',
        description: 'Create a draft, or schedule a post, on one or more channels',
      },
      {
        name: 'Edit',
        value: 'edit',
        action: 'Edit a post',
        description: 'Change what it says before it is published; what is not named stays as it is',
      },
      {
        name: 'Edit Labels',
        value: 'label',
        action: 'Edit the labels of a post',
        description: 'Add or remove labels, in every status of the post',
      },
      { name: 'Get', value: 'get', action: 'Get a post', description: 'Read its status and addresses' },
      {
        name: 'Get Many',
        value: 'getAll',
        action: 'Get many posts',
        description: 'List posts, newest first',
      },
      {
        name: 'Retry',
        value: 'retry',
        action: 'Retry a failed post',
        description: 'Schedule it again on a channel where it failed',
      },
      {
        name: 'Schedule',
        value: 'schedule',
        action: 'Schedule a post',
        description: 'Choose when to publish a draft, or another time for what is scheduled',
      },
    ],
    'create',
  ),
  operation(
    'media',
    [
      {
        name: 'Get Many',
        value: 'getAll',
        action: 'Get many files',
        description: 'List files, newest first',
      },
      {
        name: 'Upload',
        value: 'upload',
        action: 'Upload a file',
        description: 'Upload a picture, video, audio file or PDF that posts can carry',
      },
    ],
    'upload',
  ),
  operation(
    'channel',
    [
      {
        name: 'Get Many',
        value: 'getAll',
        action: 'Get many channels',
        description: 'List the connected accounts with their limits',
      },
    ],
    'getAll',
  ),
  operation(
    'draft',
    [
      {
        name: 'Write',
        value: 'write',
        action: 'Write drafts',
        description: 'Have a model write texts that fit the channels; nothing is posted',
      },
    ],
    'write',
  ),
  { ...channels, typeOptions: orGroups, displayOptions: on('post', 'create', 'check') },
  { ...channels, displayOptions: on('draft', 'write') },
  {
    displayName: 'Publish',
    name: 'state',
    type: 'options',
    options: [
      {
        name: 'As Planned',
        value: 'scheduled',
        description: 'Publish it at a time, or at a posting time of each channel',
      },
      {
        name: 'Now, Once a Person Approves',
        value: 'immediate',
        description: 'Ask a person, and publish as soon as they approve',
      },
      { name: 'Not Yet', value: 'draft', description: 'Keep it as a draft' },
    ],
    displayOptions: on('post', 'create', 'check'),
    default: 'draft',
  },
  ...times({ resource: ['post'], operation: ['create', 'check'], state: ['scheduled'] }),
  { ...text, displayOptions: on('post', 'create', 'check') },
  {
    displayName: 'Additional Fields',
    name: 'more',
    type: 'collection',
    placeholder: 'Add Field',
    displayOptions: on('post', 'create', 'check'),
    default: {},
    options: byName(
      [...propertiesOf(contentFields), ...propertiesOf(postFields)].filter((one) => one !== text),
    ),
  },
  {
    displayName: 'Post ID',
    name: 'postId',
    type: 'string',
    required: true,
    displayOptions: on('post', 'get', 'edit', 'label', 'schedule', 'cancel', 'retry'),
    default: '',
  },
  {
    displayName: 'Changes',
    name: 'changes',
    type: 'collection',
    placeholder: 'Add Change',
    displayOptions: on('post', 'edit'),
    default: {},
    options: byName(propertiesOf(contentFields)),
  },
  {
    ...labels,
    displayName: 'Add Labels',
    name: 'addLabels',
    displayOptions: on('post', 'label'),
  },
  {
    ...labels,
    displayName: 'Remove Labels',
    name: 'removeLabels',
    displayOptions: on('post', 'label'),
    description: 'What the post does not have is ignored',
  },
  {
    ...channel,
    hint: 'Leave empty for all channels of the post: all of them get the time, or none',
    displayOptions: on('post', 'schedule'),
  },
  {
    ...channel,
    hint: 'Needed where the post is on several channels',
    displayOptions: on('post', 'retry'),
  },
  ...times({ resource: ['post'], operation: ['schedule', 'retry'] }),
  {
    displayName: 'Source',
    name: 'source',
    type: 'options',
    options: [
      { name: 'Binary Data of the Item', value: 'binary' },
      { name: 'Web Address', value: 'url' },
    ],
    displayOptions: on('media', 'upload'),
    default: 'binary',
  },
  {
    displayName: 'Input Binary Field',
    name: 'binaryProperty',
    type: 'string',
    required: true,
    displayOptions: { show: { resource: ['media'], operation: ['upload'], source: ['binary'] } },
    default: 'data',
    hint: 'The name of the input field that holds the file',
  },
  {
    displayName: 'Web Address',
    name: 'sourceUrl',
    type: 'string',
    required: true,
    displayOptions: { show: { resource: ['media'], operation: ['upload'], source: ['url'] } },
    default: '',
    placeholder: 'https://example.com/gate.jpg',
    description: 'A public https address from which the server fetches the file',
  },
  {
    displayName: 'Alt Text',
    name: 'altText',
    type: 'string',
    displayOptions: on('media', 'upload'),
    default: '',
    description: 'What the file shows, for those who cannot see it',
  },
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    displayOptions: { show: { resource: ['post', 'media'], operation: ['getAll'] } },
    default: false,
    description: 'Whether to return all results or only up to a given limit',
  },
  {
    displayName: 'Limit',
    name: 'limit',
    type: 'number',
    typeOptions: { minValue: 1 },
    displayOptions: { show: { resource: ['post', 'media'], operation: ['getAll'], returnAll: [false] } },
    default: 50,
    description: 'Max number of results to return',
  },
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    placeholder: 'Add Filter',
    displayOptions: on('post', 'getAll'),
    default: {},
    options: [
      { ...channel, typeOptions: orGroups },
      {
        displayName: 'Label',
        name: 'label',
        type: 'string',
        default: '',
        description: 'Only posts that have this label now',
      },
      {
        displayName: 'Status',
        name: 'status',
        type: 'options',
        options: [
          { name: 'Cancelled', value: 'cancelled' },
          { name: 'Checking', value: 'checking', description: 'Sent, but not confirmed by the network' },
          { name: 'Draft', value: 'draft' },
          { name: 'Expired', value: 'expired' },
          { name: 'Failed', value: 'failed' },
          { name: 'Published', value: 'published' },
          { name: 'Reconnect Needed', value: 'reconnect_required' },
          { name: 'Scheduled', value: 'scheduled' },
        ],
        default: 'published',
      },
      { displayName: 'Text', name: 'q', type: 'string', default: '', description: 'Words to find' },
    ],
  },
  {
    displayName: 'Brief',
    name: 'brief',
    type: 'string',
    typeOptions: { rows: 4 },
    required: true,
    displayOptions: on('draft', 'write'),
    default: '',
    description: 'What the text is to be about',
  },
  {
    displayName: 'Language',
    name: 'language',
    type: 'string',
    required: true,
    displayOptions: on('draft', 'write'),
    default: 'en',
    description: 'The language to write in, such as en or de-AT',
  },
  {
    displayName: 'Tone',
    name: 'tone',
    type: 'string',
    required: true,
    displayOptions: on('draft', 'write'),
    default: 'plain',
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    displayOptions: {
      show: {
        resource: ['post', 'media', 'draft'],
        operation: ['create', 'edit', 'label', 'schedule', 'cancel', 'retry', 'upload', 'write'],
      },
    },
    default: {},
    options: [
      {
        displayName: 'Idempotency Key',
        name: 'idempotencyKey',
        type: 'string',
        default: '',
        placeholder: 'news-4711',
        description:
          'One per intended effect, such as the ID of the row that the post is about. Without one, it is made of workflow, execution, node, run and item, so that "Retry On Fail" never posts twice; a new execution is a new effect.',
      },
    ],
  },
]
