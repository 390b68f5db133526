-- A destination that its provider is processing is held by nobody: its row alone says when it is polled next.
alter table destination
  drop constraint leased_only_while_publishing,
  add constraint leased_only_while_publishing check (lease_until is null or status = 'publishing') not valid,
  add constraint publishing_is_looked_after check (
    status <> 'publishing' or lease_until is not null or (due_at is not null and leased_by is null)) not valid;
