/** The UUID that is lower than every other, and names nothing (RFC 9562, 5.9). */
export const nilUuid = '00000000-0000-0000-0000-000000000000'
