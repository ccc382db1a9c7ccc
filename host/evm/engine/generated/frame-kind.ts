// Written by tools/generate-tables.ts from tools/tables/frame-kind.ts; do not edit.

export const FRAME_KINDS = [
  'CALL',
  'CALLCODE',
  'DELEGATECALL',
  'STATICCALL',
  'CREATE',
  'CREATE2',
  'SELFDESTRUCT',
] as const
