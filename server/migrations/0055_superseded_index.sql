-- What waits for its channel is found by destination_disconnected, which has the same order and none of what waits for
-- something else.
drop index destination_blocked;
