import { expect, test } from 'vitest'
import { accountOf } from './verdicts.ts'

test.each([
  ['Ada', 'ada', 'Ada', 'ada'],
  ['Ada\nLovelace\u202e', 'a\u202eda', 'Ada Lovelace', 'ada'],
  ['\u200b', 'ada', 'ada', 'ada'],
  ['\u3164', ' \n', 'id-1', 'id-1'],
])('the account %j (%j) of a network is shown as %j (%j)', (displayName, handle, shown, shownHandle) => {
  expect(accountOf({ remoteAccountId: 'id-1', displayName, handle })).toMatchObject({
    displayName: shown,
    handle: shownHandle,
  })
})
