import Type, { type Static } from 'typebox'
import { operation } from '../operation.ts'
import { exact, Id, Instant, nullable } from '../schemas.ts'
import { Done, EmailAddress, Password, PersonName, RoleSchema } from './app-schemas.ts'
import { rightNames } from './roles.ts'

export const MyWorkspace = exact(
  {
    workspaceId: Id,
    name: Type.String(),
    timeZone: Type.String({ examples: ['Europe/Vienna'] }),
    memberId: Id,
    role: RoleSchema,
    rights: Type.Array(Type.Enum(rightNames), { description: 'What the role may do there.' }),
  },
  { $id: 'MyWorkspace', description: 'A workspace that the person is a member of.' },
)
export type MyWorkspace = Static<typeof MyWorkspace>

export const PersonalMe = exact(
  {
    person: exact({ personId: Id, name: Type.String(), email: Type.String() }),
    session: exact({
      sessionId: Id,
      fresh: Type.Boolean({
        description: 'Whether the person has shown who they are within the last ten minutes.',
      }),
    }),
    workspaces: Type.Array(MyWorkspace),
  },
  { $id: 'PersonalMe', description: 'Who is signed in.' },
)
export type PersonalMe = Static<typeof PersonalMe>

const person = { tag: 'Person', permission: null, asks: 'person' } as const

export const readPersonalMe = operation({
  ...person,
  id: 'readPersonalMe',
  at: 'GET /app/api/me',
  summary: 'Read who is signed in',
  description: 'The person, whether they showed just now who they are, and their workspaces.',
  answer: { status: 200, schema: PersonalMe, description: 'The person.' },
  problems: [],
})

export const changeMyName = operation({
  ...person,
  id: 'changeMyName',
  at: 'POST /app/api/me',
  summary: 'Change your name',
  description: 'The name under which others see you, in every workspace.',
  body: exact({ name: PersonName }),
  idempotency: 'none',
  answer: { status: 200, schema: Done, description: 'It is changed.' },
  problems: [],
  example: { name: 'Ada Lovelace' },
})

export const SessionView = exact(
  {
    sessionId: Id,
    current: Type.Boolean({ description: 'Whether it is the one that asks.' }),
    address: nullable(Type.String()),
    userAgent: nullable(Type.String()),
    createdAt: Instant,
    seenAt: Instant,
    endsAt: Instant,
  },
  { $id: 'Session', description: 'A browser in which the person is signed in.' },
)
export type SessionView = Static<typeof SessionView>

export const listMySessions = operation({
  ...person,
  id: 'listMySessions',
  at: 'GET /app/api/sessions',
  summary: 'List your sessions',
  description: 'Where you are signed in, the session used last first.',
  answer: { status: 200, schema: Type.Array(SessionView), description: 'Your sessions.' },
  problems: [],
})

export const endMySession = operation({
  ...person,
  id: 'endMySession',
  at: 'POST /app/api/sessions/{sessionId}/end',
  summary: 'End a session',
  description: 'Signs that browser out: its next request is refused.',
  params: exact({ sessionId: Id }),
  idempotency: 'none',
  answer: { status: 200, schema: Done, description: 'It has ended.' },
  problems: ['not_found'],
})

export const endMyOtherSessions = operation({
  ...person,
  id: 'endMyOtherSessions',
  at: 'POST /app/api/sessions/end-others',
  summary: 'End all other sessions',
  description: 'Signs every other browser out.',
  idempotency: 'none',
  answer: { status: 200, schema: exact({ ended: Type.Integer() }), description: 'How many ended.' },
  problems: [],
})

const entry = { tag: 'Signing in', permission: null, asks: 'anyone', idempotency: 'none' } as const

const Entry = exact(
  {
    is: Type.Enum(['signed_in', 'second_factor'], {
      description:
        'Signed in, with the cookie that comes along; or a code of the authenticator app is asked for.',
    }),
  },
  { $id: 'Entry' },
)

export const signInWithPassword = operation({
  ...entry,
  id: 'signInWithPassword',
  at: 'POST /app/api/sign-in',
  summary: 'Sign in',
  description:
    'With e-mail address and password. A wrong password and an unknown address are answered alike; failures are counted per account and per address.',
  body: exact({ email: EmailAddress, password: Password }),
  answer: { status: 200, schema: Entry, description: 'How it goes on.' },
  problems: ['sign_in_failed'],
  example: { email: 'ada@example.com', password: 'correct horse battery' },
})

export const signInWithSecondFactor = operation({
  ...entry,
  id: 'signInWithSecondFactor',
  at: 'POST /app/api/sign-in/code',
  summary: 'Go on with a code',
  description: 'A code of the authenticator app, or a recovery code. Each counts once.',
  body: exact({ code: Type.String({ maxLength: 64 }) }),
  answer: { status: 200, schema: Entry, description: 'Signed in.' },
  problems: ['sign_in_failed'],
  example: { code: '123456' },
})

export const requestPasswordReset = operation({
  ...entry,
  id: 'requestPasswordReset',
  at: 'POST /app/api/password-reset',
  summary: 'Ask for a new password',
  description:
    'Sends a link by mail, if there is an account with the address; the answer is the same if there is none. `mail` is false where the server sends no mail: then whoever runs it makes the link.',
  body: exact({ email: EmailAddress }),
  answer: { status: 200, schema: exact({ mail: Type.Boolean() }), description: 'It was heard.' },
  problems: [],
  example: { email: 'ada@example.com' },
})

export const signOut = operation({
  ...person,
  id: 'signOut',
  at: 'POST /app/api/sign-out',
  summary: 'Sign out',
  description: 'Ends this session.',
  idempotency: 'none',
  answer: { status: 200, schema: Done, description: 'Signed out.' },
  problems: [],
})

export const proveAgain = operation({
  ...person,
  id: 'proveAgain',
  at: 'POST /app/api/proof',
  summary: 'Show once more who you are',
  description:
    'With the password, and with a code if there is an authenticator app. Good for ten minutes; the session gets another cookie.',
  body: exact({ password: Password, code: Type.Optional(Type.String({ maxLength: 64 })) }),
  idempotency: 'none',
  answer: { status: 200, schema: Done, description: 'It is proven.' },
  problems: ['sign_in_failed'],
  example: { password: 'correct horse battery' },
})

const own = { ...person, fresh: true, idempotency: 'none' } as const

export const changeMyPassword = operation({
  ...own,
  id: 'changeMyPassword',
  at: 'POST /app/api/password',
  summary: 'Change your password',
  description: 'Every other session of yours ends with that.',
  body: exact({ password: Password }),
  answer: { status: 200, schema: exact({ sessionsEnded: Type.Integer() }), description: 'It is changed.' },
  problems: [],
  example: { password: 'a brand new password' },
})

export const readSecondFactors = operation({
  ...person,
  id: 'readSecondFactors',
  at: 'GET /app/api/second-factors',
  summary: 'Read your second factors',
  description: 'Whether an authenticator app is asked for codes, and how many recovery codes are left.',
  answer: {
    status: 200,
    schema: exact({ authenticator: Type.Boolean(), recoveryCodesLeft: Type.Integer() }),
    description: 'The second factors.',
  },
  problems: [],
})

const RecoveryCodes = exact(
  { recoveryCodes: Type.Array(Type.String(), { description: 'Shown this once.' }) },
  { $id: 'RecoveryCodes' },
)

export const offerAuthenticator = operation({
  ...own,
  id: 'offerAuthenticator',
  at: 'POST /app/api/authenticator',
  summary: 'Begin to set up an authenticator app',
  description: 'Gives the secret for the app (RFC 6238). Nothing changes until a code of it was seen.',
  answer: {
    status: 200,
    schema: exact({
      secret: Type.String({ description: 'In base32.' }),
      uri: Type.String({ description: 'The same as `otpauth://` address, for a QR code.' }),
    }),
    description: 'The secret.',
  },
  problems: ['already_exists'],
})

export const confirmAuthenticator = operation({
  ...own,
  id: 'confirmAuthenticator',
  at: 'POST /app/api/authenticator/confirm',
  summary: 'Turn the authenticator app on',
  description: 'By a code that it shows. Every other session ends, and recovery codes are given.',
  body: exact({ code: Type.String({ maxLength: 64 }) }),
  answer: { status: 200, schema: RecoveryCodes, description: 'It is on.' },
  problems: ['sign_in_failed'],
  example: { code: '123456' },
})

export const removeAuthenticator = operation({
  ...own,
  id: 'removeAuthenticator',
  at: 'POST /app/api/authenticator/remove',
  summary: 'Turn the authenticator app off',
  description: 'Its recovery codes are void with that.',
  answer: { status: 200, schema: exact({ removed: Type.Boolean() }), description: 'It is off.' },
  problems: [],
})

export const renewRecoveryCodes = operation({
  ...own,
  id: 'renewRecoveryCodes',
  at: 'POST /app/api/recovery-codes',
  summary: 'Make new recovery codes',
  description: 'Those before are void.',
  answer: { status: 200, schema: RecoveryCodes, description: 'The new codes.' },
  problems: ['not_found'],
})
