-- Claims the key of a write until the end of the transaction; raises PR001 where it is being worked on, or was used. What
-- is sent behind it in the same round trip is not run then. They are two statements, each with a snapshot of its own: one
-- taken before the lock could miss what the lock's last holder has just committed.
create function claim_idempotency_key(workspace uuid, operation text, key text) returns void
language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock(hashtextextended(workspace || ' ' || operation || ' ' || key, 0)) then
    raise exception 'a request with this idempotency key is being worked on' using errcode = 'PR001';
  end if;
  perform from idempotency_record r
  where r.workspace_id = workspace and r.operation = claim_idempotency_key.operation and r.key = claim_idempotency_key.key;
  if found then
    raise exception 'this idempotency key was used' using errcode = 'PR001';
  end if;
end $$;
