-- The index destination_before_id is in its place.
drop index if exists destination_backdated;
