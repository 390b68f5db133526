/** What a check finds in a plan, by its code. */
export const issueCodes = {
  channel_unknown: 'The workspace has no such channel.',
  channel_disabled: 'The channel is disabled.',
  channel_reconnect_required: 'The owner must reconnect the channel.',
  channel_authorization_ends: "The channel's authorization ends before the post is due.",
  channel_duplicate: 'A channel is named twice.',
  channels_too_many: 'A channel group has more channels than a post can have.',
  group_empty: 'The channel group has no channel.',
  credential_limit: 'It is outside the limits of this credential.',
  text_empty: 'A part has neither visible text nor media.',
  text_too_long: 'The text is longer than the channel accepts.',
  text_repeated: 'The channel had this text recently, or a series repeats it.',
  occurrence_unfit: 'What was changed of one occurrence no longer fits the series.',
  thread_unsupported: 'The network has no threads.',
  first_comment_unsupported: 'The channel does not support first comments.',
  provider_rule: 'It breaks a rule of the network.',
  settings_invalid: 'The network does not accept these settings.',
  publish_at_in_past: 'The time is not in the future.',
  publish_at_too_far: 'The time is more than two years ahead.',
  posting_times_missing: 'The channel has no posting times.',
  posting_time_unknown: 'The time is not a posting time of the channel.',
  posting_time_taken: 'Another post has this posting time, or all are taken for the next two years.',
  media_unknown: 'The workspace has no such media item.',
  media_too_many: 'A part has more media than the network accepts.',
  media_kinds_mixed: 'The network does not accept different kinds of media together.',
  media_kind_unsupported: 'The network does not accept this kind of media.',
  media_type_unsupported: 'The network does not accept this file type.',
  media_codec_unsupported: 'The network does not accept this codec, frame rate or audio format.',
  media_too_small: 'The file is smaller than the network accepts.',
  media_too_large: 'The file is larger than the network accepts.',
  media_too_long: 'The recording is longer than the network accepts.',
  media_too_short: 'The recording is shorter than the network accepts.',
  media_ratio_unsupported: 'The network does not accept this ratio of width to height.',
  media_animation_lost: 'The network shows an animation as a still.',
  alt_text_dropped: 'The network takes no alt texts.',
  media_converted: 'The file will be scaled or converted.',
  media_not_reachable: 'The network fetches media itself, but cannot reach this server.',
  media_dropped: 'An edit removes media without saying so.',
  own_content_replaced: "An edit replaces a channel's own content.",
  alt_text_missing: 'A media item has no alt text.',
  alt_text_too_long: 'The alt text is longer than the network accepts.',
} as const

export type IssueCode = keyof typeof issueCodes

/** Why a destination is not published, by the code of its error. */
export const errorCodes = {
  content_refused: 'The network refuses the content.',
  media_refused: 'The network refuses a file.',
  permission_refused: 'The account may not publish this.',
  duplicate_refused: 'The network takes it for a duplicate.',
  parent_missing: 'The post that it replies to is gone.',
  processing_failed: 'The network could not process it.',
  not_published: 'It is proven not to be published.',
  rate_limited: 'The network asks for a pause.',
  provider_unavailable: 'The network is not available now.',
  provider_disabled: 'The network is not set up on this server.',
  not_reached: 'The network was not reached.',
  media_unavailable: 'A stored file cannot be read now.',
  not_recorded: 'The attempt could not be recorded, so it was not made.',
  target_refused: 'The address may not be called.',
  signer_away: 'The remote signer of the account did not answer.',
  adapter_fault: 'Our code for the network failed.',
  access_renewed: 'The access was renewed first.',
  not_shown_yet: 'The network does not show yet what was just made there.',
  secret_unreadable: "The channel's stored credentials cannot be decrypted.",
  reconnect_required: 'The network refused the authorization.',
  result_unproven: 'A call was made, but its result is not proven.',
  allowed_time_over: 'Its deadline passed.',
  test: 'Only in test events.',
} as const

export type ErrorCode = keyof typeof errorCodes

/** Names with their sentences, for a description. */
export function eachMeans(meanings: Readonly<Record<string, string>>): string {
  return Object.entries(meanings)
    .map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
    .join('\n')
}
