import Type, { type Static } from 'typebox'
import { operation } from '../operation.ts'
import { exact, Id, Instant, nullable } from '../schemas.ts'
import { Done, PersonName, RoleSchema } from './app-schemas.ts'
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

const weekStarts = ['monday', 'saturday', 'sunday'] as const
const clocks = ['12h', '24h'] as const
const languages = ['en', 'de'] as const

export const Preferences = exact(
  {
    weekStart: nullable(
      Type.Enum(weekStarts, { description: 'The first day of the week; null for that of the browser.' }),
    ),
    clock: nullable(
      Type.Enum(clocks, { description: 'How times of day are shown; null as in the browser.' }),
    ),
    language: nullable(
      Type.Enum(languages, {
        description: 'The language of pages and emails; null for that of the browser, and English in emails.',
      }),
    ),
  },
  {
    $id: 'Preferences',
    description: 'The language of a person, and how calendars and times are shown to them.',
  },
)
export type Preferences = Static<typeof Preferences>

export const PersonalMe = exact(
  {
    person: exact({ personId: Id, name: Type.String(), email: Type.String() }),
    session: exact({
      sessionId: Id,
      fresh: Type.Boolean({
        description: 'Whether the person has confirmed their identity within the last ten minutes.',
      }),
    }),
    preferences: Preferences,
    workspaces: Type.Array(MyWorkspace),
  },
  { $id: 'PersonalMe', description: 'Who is signed in.' },
)
export type PersonalMe = Static<typeof PersonalMe>

const person = { tag: 'Person', permission: null, asks: 'person' } as const
/** A change, without a key: each request is an effect of its own. */
const write = { ...person, idempotency: 'none' } as const

export const readPersonalMe = operation({
  ...person,
  id: 'readPersonalMe',
  at: 'GET /app/api/me',
  summary: 'Read who is signed in',
  description: 'The person, whether they confirmed their identity recently, and their workspaces.',
  answer: { status: 200, schema: PersonalMe, description: 'The person.' },
  problems: [],
})

export const changeMyName = operation({
  ...write,
  id: 'changeMyName',
  at: 'POST /app/api/me',
  summary: 'Change your name',
  description: 'The name under which others see you, in every workspace.',
  body: exact({ name: PersonName }),
  answer: { status: 200, schema: Done, description: 'Changed.' },
  problems: [],
  example: { name: 'Ada Lovelace' },
})

export const changeMyPreferences = operation({
  ...write,
  id: 'changeMyPreferences',
  at: 'POST /app/api/me/preferences',
  summary: 'Change your language, and how calendars and times are shown to you',
  description: 'In every workspace and browser. Posts and their times are not changed.',
  body: Preferences,
  answer: { status: 200, schema: Done, description: 'Changed.' },
  problems: [],
  example: { weekStart: 'monday', clock: '24h', language: 'de' },
})

export const SessionView = exact(
  {
    sessionId: Id,
    current: Type.Boolean({ description: 'Whether it is this session.' }),
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
  description: 'Where you are signed in, most recently used first.',
  answer: { status: 200, schema: Type.Array(SessionView), description: 'Your sessions.' },
  problems: [],
})

export const endMySession = operation({
  ...write,
  id: 'endMySession',
  at: 'POST /app/api/sessions/{sessionId}/end',
  summary: 'End a session',
  description: 'Signs that browser out: its next request is refused.',
  params: exact({ sessionId: Id }),
  answer: { status: 200, schema: Done, description: 'It has ended.' },
  problems: ['not_found'],
})

export const endMyOtherSessions = operation({
  ...write,
  id: 'endMyOtherSessions',
  at: 'POST /app/api/sessions/end-others',
  summary: 'End all other sessions',
  description: 'Signs every other browser out.',
  answer: { status: 200, schema: exact({ ended: Type.Integer() }), description: 'How many ended.' },
  problems: [],
})

const entry = { tag: 'Signing in', permission: null, asks: 'anyone', idempotency: 'none' } as const

/** What `PublicKeyCredential.toJSON()` gives in a browser, which may give more in years to come. */
const CredentialJson = Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
  description: "The result of the browser's `PublicKeyCredential.toJSON()` (WebAuthn Level 3).",
})

const CredentialOptions = exact({
  options: Type.Record(Type.String(), Type.Unknown(), {
    description:
      "For the browser's `PublicKeyCredential.parseRequestOptionsFromJSON()`, or `parseCreationOptionsFromJSON()` for a new passkey. Good once, for ten minutes.",
  }),
})

export const beginPasskeySignIn = operation({
  ...entry,
  id: 'beginPasskeySignIn',
  at: 'POST /app/api/sign-in/passkey/begin',
  summary: 'Begin to sign in with a passkey',
  description:
    'Returns the challenge for the browser. Passkeys need https or localhost, and a host name in `BASE_URL`.',
  answer: { status: 200, schema: CredentialOptions, description: 'The challenge.' },
  problems: ['invalid_state'],
})

export const signInWithPasskey = operation({
  ...entry,
  id: 'signInWithPasskey',
  at: 'POST /app/api/sign-in/passkey',
  summary: 'Sign in with a passkey',
  description:
    'Without email address, password or code: the passkey identifies the person, and its device has verified them. Each challenge works once.',
  body: exact({ credential: CredentialJson }),
  answer: { status: 200, schema: Done, description: 'Signed in, with a session cookie.' },
  problems: ['sign_in_failed'],
  example: { credential: { id: 'AAAA', type: 'public-key', response: {} } },
})

export const signOut = operation({
  ...write,
  id: 'signOut',
  at: 'POST /app/api/sign-out',
  summary: 'Sign out',
  description: 'Ends this session.',
  answer: { status: 200, schema: Done, description: 'Signed out.' },
  problems: [],
})

export const beginPasskeyProof = operation({
  ...write,
  id: 'beginPasskeyProof',
  at: 'POST /app/api/proof/passkey/begin',
  summary: 'Begin to confirm your identity with a passkey',
  description: 'Returns the challenge for the browser.',
  answer: { status: 200, schema: CredentialOptions, description: 'The challenge.' },
  problems: ['invalid_state'],
})

export const proveWithPasskey = operation({
  ...write,
  id: 'proveWithPasskey',
  at: 'POST /app/api/proof/passkey',
  summary: 'Confirm your identity with a passkey',
  description: 'Instead of password and code. Valid for ten minutes; the session gets a new cookie.',
  body: exact({ credential: CredentialJson }),
  answer: { status: 200, schema: Done, description: 'The identity is confirmed.' },
  problems: ['sign_in_failed'],
  example: { credential: { id: 'AAAA', type: 'public-key', response: {} } },
})

const own = { ...write, fresh: true } as const

export const readSecondFactors = operation({
  ...person,
  id: 'readSecondFactors',
  at: 'GET /app/api/second-factors',
  summary: 'Read your second factors',
  description: 'Whether an authenticator app is set up, and how many recovery codes are left.',
  answer: {
    status: 200,
    schema: exact({ authenticator: Type.Boolean(), recoveryCodesLeft: Type.Integer() }),
    description: 'The second factors.',
  },
  problems: [],
})

export const PasskeyView = exact(
  { passkeyId: Id, name: Type.String(), createdAt: Instant, lastUsedAt: nullable(Instant) },
  { $id: 'Passkey', description: 'A key pair on a device that a person signs in with.' },
)
export type PasskeyView = Static<typeof PasskeyView>

export const listPasskeys = operation({
  ...person,
  id: 'listPasskeys',
  at: 'GET /app/api/passkeys',
  summary: 'List your passkeys',
  description: 'Oldest first.',
  answer: { status: 200, schema: Type.Array(PasskeyView), description: 'Your passkeys.' },
  problems: [],
})

export const offerPasskey = operation({
  ...own,
  id: 'offerPasskey',
  at: 'POST /app/api/passkeys/offer',
  summary: 'Begin to add a passkey',
  description: 'Returns the challenge for the browser. Nothing changes before its response is verified.',
  answer: { status: 200, schema: CredentialOptions, description: 'The challenge.' },
  problems: ['invalid_state'],
})

export const registerPasskey = operation({
  ...own,
  id: 'registerPasskey',
  at: 'POST /app/api/passkeys',
  summary: 'Add a passkey',
  description:
    'Stores the public key of a device. Signing in with it counts as two factors: no code is needed.',
  body: exact({ name: PersonName, credential: CredentialJson }),
  answer: { status: 201, schema: exact({ passkeyId: Id }), description: 'The passkey.' },
  problems: ['sign_in_failed', 'already_exists'],
  example: { name: 'Phone', credential: { id: 'AAAA', type: 'public-key', response: {} } },
})
