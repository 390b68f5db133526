-- The id that the media storage of this installation carries: a process that sees another storage must not start.
alter table installation add column media_storage_id uuid;
