-- ---------------------------------------------------------------------------------------------------------------------
-- Webhook endpoints that agents create
-- owner: webhooks
-- ---------------------------------------------------------------------------------------------------------------------

-- The agent key or grant that created it; null where a person did. One that is deleted stays until its deliveries are gone.
alter table endpoint
  add column credential_id uuid,
  add column deleted_at    timestamptz,
  drop constraint endpoint_disabled_reason_check,
  add constraint endpoint_disabled_reason_check
    check (disabled_reason in ('by_hand', 'failing', 'secret_lost', 'credential_ended')) not valid;

-- A credential that ends takes its endpoints with it in the same transaction; one that a restore suspended and a person
-- confirms has them again.
create function end_endpoints_of_credential() returns trigger language plpgsql as $$
begin
  if new.revoked_at is not null then
    update endpoint
    set    status = 'disabled', disabled_reason = 'credential_ended', status_since = now(), updated_at = now()
    where  workspace_id = new.workspace_id and credential_id = new.id and status = 'active';
  else
    update endpoint
    set    status = 'active', disabled_reason = null, status_since = now(), updated_at = now()
    where  workspace_id = new.workspace_id and credential_id = new.id and disabled_reason = 'credential_ended'
    and    deleted_at is null;
  end if;
  return null;
end
$$;
