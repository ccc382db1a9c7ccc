/** Why `run` returned, numbered as in assembly/evm/status.ts. */
export const STATUS = {
  done: 0,
  needAccount: 1,
  needStorage: 2,
  needCode: 3,
  needBlockHash: 4,
  callHost: 5,
  traceFull: 6,
  yield: 7,
  exhausted: 8,
  misuse: 9,
} as const
