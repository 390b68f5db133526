import type { Words } from './words.ts'

export const de: Words = {
  bulkHint: 'Wählen Sie mehrere aus, um gemeinsam über sie zu entscheiden. Sie sehen sich zuerst jede an.',
  bulkSeen: (count, seen) => `${count} ausgewählt, ${seen} angesehen.`,
  bulkLook: 'Nächste ansehen',
  bulkApprove: (count) => `${count} ausgewählte freigeben`,
  bulkApproved: (count) =>
    `${count} freigegeben. Jede lässt sich rückgängig machen, bis die Veröffentlichung beginnt.`,
  bulkRejectAsk: 'Ablehnen…',
  bulkReject: (count) => `${count} ausgewählte ablehnen`,
  bulkRejected: (count) => `${count} abgelehnt. Sie bleiben Entwürfe.`,
  bulkReason: 'Grund (für die Verfasser sichtbar)',
  bulkBack: 'Zurück',
}
