-- The indexes destination_due_at and destination_expires_at are in their place.
drop index destination_due;
drop index destination_expiring;
