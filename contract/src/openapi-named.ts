import Type from 'typebox'
import { CharacterCounting } from './channels.ts'
import { ControlToken, EditToken } from './commands.ts'
import {
  changeSchemas,
  ChannelIds,
  fieldSchemas,
  FromTemplate,
  PartChanges,
  Target,
  Targets,
  ThreadPart,
} from './content.ts'
import { Event } from './events.ts'
import { StatusCounts } from './label-operations.ts'
import { Label, LabelFilter } from './labels.ts'
import { AltText, MediaKindSchema, SourceUrl } from './media.ts'
import { permissionNames } from './permissions.ts'
import { PlanToCheck, PostState, PublishAt, SpreadMinutes } from './post-checks.ts'
import { AllowedAction, DestinationStatusSchema, DryRun, LatestChange, ReviewStatus } from './posts.ts'
import {
  Confirmed,
  Cursor,
  Id,
  IdempotencyKey,
  Instant,
  InstantInput,
  LocalTimeInput,
  nullable,
  Reference,
  TimeInput,
} from './schemas.ts'
import { seriesSchemas } from './series.ts'
import { allEventTypeNames } from './statuses.ts'
import { AutoReplay } from './webhook-schemas.ts'

/** Schemas that the document repeats, by the names that it gives them. */
export const namedSchemas: Readonly<Record<string, unknown>> = {
  AllowedAction,
  AltText,
  AutoReplay,
  ChannelIds,
  ControlToken,
  EventType: Type.Enum(allEventTypeNames),
  CharacterCounting,
  Confirmed,
  Cursor,
  DryRun,
  EditToken,
  DestinationStatus: DestinationStatusSchema,
  Id,
  // Behind `Id`, which is the likeness of other ids.
  EventId: Event.properties.id,
  FromTemplate,
  ...named(fieldSchemas, ''),
  ...named(changeSchemas, 'Change'),
  IdempotencyKey,
  Instant,
  InstantInput,
  IdOrNull: nullable(Id),
  InstantOrNull: nullable(Instant),
  Label,
  LabelFilter,
  LatestChange,
  MediaKind: MediaKindSchema,
  Permission: Type.Enum(permissionNames),
  PartChanges,
  PlannedPost: PlanToCheck.properties.postId,
  PostState,
  PublishAt,
  Reference,
  ReferenceOrNull: nullable(Reference),
  ReviewStatus,
  SourceUrl,
  StatusCounts,
  ...seriesSchemas,
  LocalDateTime: LocalTimeInput.properties.local,
  TimeZoneName: LocalTimeInput.properties.timeZone,
  SpreadMinutes,
  TargetChannel: Target.properties.channelId,
  Targets,
  ThreadPart,
  TimeInput,
}

/** Fields by names of schemas: `firstComment` as `FirstComment`. */
function named(schemas: Readonly<Record<string, unknown>>, ending: string): Record<string, unknown> {
  const nameOf = (field: string) => `${field.charAt(0).toUpperCase()}${field.slice(1)}${ending}`
  return Object.fromEntries(Object.entries(schemas).map(([field, schema]) => [nameOf(field), schema]))
}
