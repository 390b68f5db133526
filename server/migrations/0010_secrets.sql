-- Sealed when the first process started: a process whose keys do not open it has other keys than the rest.
alter table installation add column canary_sealed bytea;

-- The key that sealed the grant was lost, and an operator has accepted that; false again once the channel is reconnected.
alter table channel add column grant_lost boolean not null default false;

alter table endpoint drop constraint endpoint_disabled_reason_check;
alter table endpoint add constraint endpoint_disabled_reason_check
  check (disabled_reason in ('by_hand', 'failing', 'secret_lost'));
