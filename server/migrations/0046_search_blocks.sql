-- destination_channel_status begins with its columns.
drop index destination_channel;

-- Posts fall into blocks by the first hexadecimal digits of their id, which are its time (UUIDv7): those that have five of
-- them in common are of about three days (2^28 ms), with four it is about fifty (2^32 ms). This is the lowest id of a block.
create function search_block_start(post_id uuid, digits integer) returns uuid language sql immutable parallel safe
return rpad(left(post_id::text, digits), 32, '0')::uuid;

-- Stands for a workspace's posts of one block among the n-grams. It is negative, and no n-gram is; two blocks that share one
-- cost each other time and nothing else.
create function search_key(workspace_id uuid, post_id uuid, digits integer) returns bigint language sql immutable parallel safe
return (search_key(workspace_id) << 20) | ('x' || lpad(left(post_id::text, digits), 8, '0'))::bit(32)::bigint
       | (-9223372036854775808)::bigint;

-- Raises PR002 once a search has read more posts than one may.
create function check_search_limit(posts_read bigint, most bigint) returns boolean language plpgsql immutable as $$
begin
  if posts_read > most then
    raise exception 'more than % posts have the n-grams of this text', most using errcode = 'PR002';
  end if;
  return true;
end $$;
