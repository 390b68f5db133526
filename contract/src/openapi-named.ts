import Type from 'typebox'
import { CharacterCounting } from './channels.ts'
import { EditToken } from './commands.ts'
import { MediaIds, Settings, Text, Thread, ThreadPart } from './content.ts'
import { MediaKindSchema } from './media.ts'
import { permissionNames } from './permissions.ts'
import { PostState } from './post-checks.ts'
import { AllowedAction, DestinationStatusSchema, ReviewStatus } from './posts.ts'
import { Confirmed, Cursor, Id, IdempotencyKey, Instant, InstantInput, nullable } from './schemas.ts'
import { allEventTypeNames } from './statuses.ts'

/** Schemas that the document repeats, by the names that it gives them. */
export const namedSchemas: Readonly<Record<string, unknown>> = {
  AllowedAction,
  EventType: Type.Enum(allEventTypeNames),
  CharacterCounting,
  Confirmed,
  Cursor,
  DestinationStatus: DestinationStatusSchema,
  Id,
  IdempotencyKey,
  Instant,
  InstantInput,
  InstantOrNull: nullable(Instant),
  MediaIds,
  MediaKind: MediaKindSchema,
  Permission: Type.Enum(permissionNames),
  PostState,
  ReviewStatus,
  Settings,
  Text,
  Thread,
  ThreadPart,
  Token: { ...EditToken, description: 'Compare-and-swap value, as read last.' },
}
