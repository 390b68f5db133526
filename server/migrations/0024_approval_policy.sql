-- What waits for a person besides immediate posts; what is not in it asks for nothing.
alter table workspace add column approval_policy jsonb not null default '{}'
  check (jsonb_typeof(approval_policy) = 'object');
