/** Each way in which a publish call can end, as a text asks the sandbox network for it. */
export const endings = {
  plain: '',
  refused: ' #sandbox:refuse',
  'put off': ' #sandbox:rate-limit=1',
  outage: ' #sandbox:outage=1',
  'put off twice': ' #sandbox:rate-limit=1 #sandbox:outage=1',
  revoked: ' #sandbox:unauthorized',
  'taken, and no answer': ' #sandbox:accept-then-drop',
  'taken, and 500': ' #sandbox:accept-then-500',
  'taken, and garbage': ' #sandbox:garbage',
  'taken, and half an answer': ' #sandbox:truncate',
  'taken, and silence': ' #sandbox:hang',
  'taken after the time': ' #sandbox:slow=500',
  'not taken, and no answer': ' #sandbox:drop',
  'not taken, and 500': ' #sandbox:error-500',
  'processing, then out': ' #sandbox:processing=100',
  'processing, then not': ' #sandbox:processing-fails=100',
  'not taken, then put off, then taken, and no answer':
    ' #sandbox:drop #sandbox:rate-limit=1 #sandbox:accept-then-drop',
} as const

export type Ending = keyof typeof endings

export const endingNames = Object.keys(endings) as Ending[]
