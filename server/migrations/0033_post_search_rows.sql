-- The texts of the posts that were there before. Posts that are written meanwhile have theirs by the trigger.
insert into post_search (workspace_id, post_id, folded)
select d.workspace_id, d.post_id, array_agg(distinct p.folded collate "C")
from   destination d
join   part p on p.workspace_id = d.workspace_id and p.destination_id = d.id
group  by d.workspace_id, d.post_id
on     conflict (workspace_id, post_id) do nothing;
