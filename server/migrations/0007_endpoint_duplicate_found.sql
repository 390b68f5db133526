-- owner: webhooks

-- Endpoints may ask for the event of a second post.
alter table endpoint drop constraint endpoint_event_types_check;
alter table endpoint add constraint endpoint_event_types_check
check (cardinality(event_types) > 0 and event_types <@ array[
  'post.scheduled', 'post.published', 'post.partial', 'post.failed', 'post.delayed', 'post.reconnect_required',
  'post.recovery_required', 'post.cancelled', 'post.expired', 'post.created', 'post.edited', 'approval.requested',
  'approval.decided', 'post.duplicate_found']) not valid;
