// Written by tools/generate-tables.ts from tools/tables/revision.ts; do not edit.

export const FRONTIER: i32 = 0
export const HOMESTEAD: i32 = 1
export const TANGERINE_WHISTLE: i32 = 2
export const SPURIOUS_DRAGON: i32 = 3
export const BYZANTIUM: i32 = 4
export const CONSTANTINOPLE: i32 = 5
export const PETERSBURG: i32 = 6
export const ISTANBUL: i32 = 7
export const BERLIN: i32 = 8
export const LONDON: i32 = 9
export const PARIS: i32 = 10
export const SHANGHAI: i32 = 11
export const CANCUN: i32 = 12
export const PRAGUE: i32 = 13
export const OSAKA: i32 = 14
export const AMSTERDAM: i32 = 15
