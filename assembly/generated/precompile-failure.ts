// Written by tools/generate-tables.ts from tools/tables/precompile.ts; do not edit.

export const NONE: u64 = 0
export const INVALID_LENGTH: u64 = 1
export const INVALID_FINAL_FLAG: u64 = 2
export const PAIRING_SIZE: u64 = 3
export const NOT_ON_CURVE: u64 = 4
export const NOT_IN_SUBGROUP: u64 = 5
export const NOT_IN_FIELD: u64 = 6
export const OPERAND_TOO_LONG: u64 = 13
