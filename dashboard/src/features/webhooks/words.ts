import { german } from '../../lib/language.ts'

const en = {
  more: 'More for this endpoint',
  edit: 'Edit…',
  rotate: 'Rotate secret…',
  replay: 'Replay failed…',
  disable: 'Disable',
  enable: 'Enable',
  delete: 'Delete…',
  editTitle: 'Edit endpoint',
  address: 'Address',
  editHint: 'Events that are still pending go to the new address.',
  nameOptional: 'Name (optional)',
  events: 'Events',
  close: 'Close',
  save: 'Save endpoint',
  saved: 'The endpoint is saved.',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteHint:
    'Nothing more is sent to it, and its signing secret is deleted. Its deliveries can no longer be seen. This can’t be undone.',
  deleteIt: 'Delete endpoint',
  deleted: 'The endpoint is deleted.',
  export: 'Export shown deliveries',
  older: 'Show older deliveries',
  postOf: (type: string, when: string) => `Post of ${type}, ${when}`,
  post: 'Post',
}
export type Words = typeof en

export const words: Words = german?.webhooks ?? en
