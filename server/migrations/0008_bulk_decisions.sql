-- ---------------------------------------------------------------------------------------------------------------------
-- Bulk runs that decide about requests for approval
-- owner: bulk
-- ---------------------------------------------------------------------------------------------------------------------

alter table bulk_run drop constraint bulk_run_action_check;
alter table bulk_run add constraint bulk_run_action_check
check (action in ('move', 'submit', 'cancel', 'discard', 'approve', 'reject')) not valid;
alter table bulk_run add column note text;   -- what the person who decides has said of it

-- Of a decision: the request. Its token is the digest of what its person has seen.
alter table bulk_run_item add column approval_id uuid;
