-- A destination that its provider is processing is held by nobody: its row alone says when it is polled next.
alter table destination
  drop constraint leased_only_while_publishing,
  add constraint leased_only_while_publishing check (lease_until is null or status = 'publishing'),
  add constraint publishing_is_looked_after check (
    status <> 'publishing' or lease_until is not null or (due_at is not null and leased_by is null));
create index destination_processing on destination (due_at) where status = 'publishing' and lease_until is null;
