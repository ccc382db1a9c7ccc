// Written by tools/generate-tables.ts from tools/tables/rejection.ts; do not edit.

export const TYPE_NOT_SUPPORTED: u32 = 1
export const NONCE_TOO_HIGH: u32 = 2
export const NONCE_TOO_LOW: u32 = 3
export const NONCE_OVERFLOW: u32 = 4
export const GAS_LIMIT_TOO_HIGH: u32 = 5
export const SENDER_HAS_CODE: u32 = 6
export const TIP_ABOVE_FEE_CAP: u32 = 7
export const FEE_CAP_BELOW_BASE_FEE: u32 = 8
export const BLOB_CREATION: u32 = 9
export const BLOB_WITHOUT_HASHES: u32 = 10
export const BLOB_VERSION_WRONG: u32 = 11
export const BLOB_COUNT_TOO_HIGH: u32 = 12
export const BLOB_FEE_CAP_TOO_LOW: u32 = 13
export const SET_CODE_CREATION: u32 = 14
export const AUTHORIZATION_LIST_EMPTY: u32 = 15
export const INSUFFICIENT_FUNDS: u32 = 16
export const GAS_LIMIT_EXCEEDS_BLOCK: u32 = 17
export const INTRINSIC_GAS_TOO_LOW: u32 = 18
export const FLOOR_DATA_GAS_TOO_LOW: u32 = 19
export const INTRINSIC_GAS_TOO_HIGH: u32 = 20
export const INIT_CODE_TOO_LARGE: u32 = 21
