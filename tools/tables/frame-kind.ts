/** How a frame is entered, by its name in call tracers. The number of each is its index. */
export const FRAME_KINDS = [
  'CALL',
  'CALLCODE',
  'DELEGATECALL',
  'STATICCALL',
  'CREATE',
  'CREATE2',
  'SELFDESTRUCT',
] as const
