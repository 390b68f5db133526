/** The UUID that is lower than every other, and names nothing (RFC 9562, 5.9). */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/** The UUID that is higher than every other (RFC 9562, 5.10). */
export const MAX_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
