/** How a frame is entered, by the name that call tracers give it: the number of each is its index. */
export const FRAME_KINDS = [
  'CALL',
  'CALLCODE',
  'DELEGATECALL',
  'STATICCALL',
  'CREATE',
  'CREATE2',
  'SELFDESTRUCT',
] as const
