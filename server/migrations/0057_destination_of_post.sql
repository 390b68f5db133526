-- The index destination_of_post holds the same.
alter table destination drop constraint destination_workspace_id_post_id_channel_id_key;
