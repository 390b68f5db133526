import { wordsIn } from '../../platform/text/language.ts'

const en = {
  hello: (name: string) => `Hello ${name},`,
  /** What of how a person signs in has changed, as a sentence. */
  notices: {
    email: 'The email address of your account was changed.',
    password: 'Your password was changed.',
    authenticatorOn: 'An authenticator app was set up for your account.',
    authenticatorOff: 'The authenticator app of your account was removed.',
    passkeyAdded: 'A passkey was added to your account.',
    passkeyRemoved: 'A passkey of your account was removed.',
    passkeyCopied: 'A passkey of your account seems to have been copied. The sign-in was refused.',
    issuerConnected: 'You can now sign in through the identity provider that was connected to your account.',
    issuerDisconnected: 'Your account is no longer connected to the identity provider.',
    secondFactorsForgotten:
      'The authenticator app, recovery codes and passkeys of your account were removed. All sessions were signed out.',
    emailProven: 'Your email address was confirmed for the first time.',
    recoveryCodes: 'New recovery codes were created. Your old codes no longer work.',
  },
  byOperator: 'This was done on the command line of the server.',
  byClient: (address: string, program: string) =>
    `This was done from the address ${address}, with ${program}.`,
  unknownProgram: 'an unknown program',
  seeAccount: 'Check how you sign in',
  notYou: 'If this wasn’t you, set a new password now and tell your server operator.',
  resetSubject: 'Set a new Postrider password',
  resetAsked: (address: string) => `Someone at ${address} requested a password reset for your account.`,
  setPassword: 'Set a new password',
  resetHint: 'The link works once, for an hour. It signs you out everywhere.',
  ignore: 'If this wasn’t you, ignore this email. Nothing has changed.',
  emailSubject: 'Confirm your email address for Postrider',
  emailChange: (email: string) => `Use ${email} as the email address of your account?`,
  confirmEmail: 'Confirm address',
  emailHint: 'The link works once, for an hour. If this wasn’t you, ignore this email. Nothing has changed.',
}
export type Words = typeof en

export const words = wordsIn<Words>(en, () => import('./words.de.ts'))
