/**
 * recovery.wasm: addresses of the signers of many messages at once. It imports and allocates nothing. The host calls
 * `prepare` once, writes requests to REQUESTS, calls `recover` and reads ANSWERS.
 */
import { CAPACITY as BATCH } from './curve/lanes/quad'
import { ANSWER, REQUEST, recoverAll } from './curve/lanes/recover'
import { makeGeneratorTable } from './curve/lanes/tables'

/** Most requests of a call. */
export const CAPACITY: i32 = BATCH
export const REQUEST_SIZE: i32 = REQUEST
export const ANSWER_SIZE: i32 = ANSWER
export const REQUESTS: usize = memory.data(BATCH * REQUEST, 16)
export const ANSWERS: usize = memory.data(BATCH * ANSWER, 16)

/** Builds the tables. */
export function prepare(): void {
  makeGeneratorTable()
}

/** ANSWERS = answers to the first `count` of REQUESTS: see curve/lanes/recover.ts. */
export function recover(count: i32): void {
  recoverAll(REQUESTS, ANSWERS, count)
}
