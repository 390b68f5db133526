import { german } from '../../lib/language.ts'

const en = {
  bulkHint: 'Select several to decide about them together. You look at each first.',
  bulkSeen: (count: number, seen: number) => `${count} selected, ${seen} looked at.`,
  bulkLook: 'Look at the next one',
  bulkApprove: (count: number) => `Approve ${count} selected`,
  bulkApproved: (count: number) => `${count} approved. Each can be undone until publishing starts.`,
  bulkRejectAsk: 'Reject…',
  bulkReject: (count: number) => `Reject ${count} selected`,
  bulkRejected: (count: number) => `${count} rejected. They stay drafts.`,
  bulkReason: 'Reason (the authors see it)',
  bulkBack: 'Back',
}
export type Words = typeof en

export const words: Words = german?.approvals ?? en
