-- ---------------------------------------------------------------------------------------------------------------------
-- Connecting with a choice of accounts
-- owner: connect
-- ---------------------------------------------------------------------------------------------------------------------

-- One sign-in can give access to several accounts. `wanted` names those that were chosen before it; with `choosing`, the
-- accounts are in `kept_sealed`, and the browser that came back has yet to choose.
alter table connect_flow
  add column wanted   jsonb   not null default '[]',
  add column choosing boolean not null default false;
