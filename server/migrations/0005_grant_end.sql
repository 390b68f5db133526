-- When the provider ends the grant for good, however it is used; null where it named no such time.
alter table channel add column grant_ends_at timestamptz;
