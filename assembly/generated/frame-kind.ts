// Written by tools/generate-tables.ts from tools/tables/frame-kind.ts; do not edit.

export const CALL: u32 = 0
export const CALLCODE: u32 = 1
export const DELEGATECALL: u32 = 2
export const STATICCALL: u32 = 3
export const CREATE: u32 = 4
export const CREATE2: u32 = 5
export const SELFDESTRUCT: u32 = 6
