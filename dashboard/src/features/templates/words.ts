import { german } from '../../lib/language.ts'

const en = {
  title: 'Templates',
  lead: 'Texts that you use again, with fields for what changes.',
  none: 'No templates yet',
  noneHint: 'Write one here, or save a post as a template on its page.',
  create: 'New template',
  fields: (names: string) => `Fields: ${names}`,
  noFields: 'No fields',
  groups: 'Channel groups',
  removeGroup: (group: string) => `Remove ${group}`,
  edit: (name: string) => `Edit ${name}`,
  use: 'Write a post',
  useOf: (name: string) => `Write a post from ${name}`,
  name: 'Name',
  fieldHint: 'Write {{name}} where each post says something else.',
  brokenField:
    'A field has to be closed, as in {{name}}. Its name has letters, digits, spaces, “_”, “-” and “.”.',
  missing: {
    name: 'Give it a name.',
    content: 'Add text or media.',
    field: 'Close the field, as in {{name}}.',
  },
  save: 'Save template',
  saved: (name: string) => `Template saved: ${name}.`,
  remove: 'Delete…',
  removeTitle: 'Delete this template?',
  removeHint: 'Posts that were written from it stay.',
  removeAct: 'Delete template',
  removed: (name: string) => `Template deleted: ${name}.`,
  choose: 'Use a template…',
  chooseTitle: 'Use a template',
  template: 'Template',
  replaces: 'Replaces the text in the composer.',
  act: 'Use template',
  used: (name: string) => `Filled from ${name}.`,
  undo: 'Undo',
  close: 'Close',
}
export type Words = typeof en

export const words: Words = german?.templates ?? en
