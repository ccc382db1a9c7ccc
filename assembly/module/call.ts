import { copyBytes } from '../u256/bytes'
import { CALL as CALL_GAS, WORD } from './generated/gas'
import { CALL, INPUT, INPUT_SIZE } from './layout'

/**
 * The call to answer, as the host wrote it at CALL: id u32, frame kind u32, is static u32, input size u32, gas u64,
 * block number u64, block time u64 (seconds), padding 24; then big-endian: chain id 32, value 32, caller 20.
 */
export const ID: usize = CALL
export const KIND: usize = CALL + 4
export const IS_STATIC: usize = CALL + 8
export const SIZE: usize = CALL + 12
const GAS: usize = CALL + 16
export const NUMBER: usize = CALL + 24
export const TIME: usize = CALL + 32
export const CHAIN_ID: usize = CALL + 64
export const VALUE: usize = CALL + 96
export const CALLER: usize = CALL + 128

/** The call continues. */
export const RUNNING: i32 = 0
/** The call read a value that the host must supply first. It then runs again from the beginning. */
const MISSING: i32 = 1
/** The call reverts with the current output. */
export const REVERTING: i32 = 2
export const OUT_OF_GAS: i32 = 3

/**
 * State of the call. Code runs to its end in any state. If the call has ended, its further actions have no effect and
 * its reads return zeros. Its loops must therefore end on zeros.
 */
export let state: i32 = RUNNING
export let gas: u64 = 0

/** Starts the call over. */
export function beginCall(): void {
  state = RUNNING
  gas = load<u64>(GAS)
  const size = load<u32>(SIZE)
  charge(CALL_GAS + WORD * u64((usize(size) + 31) >> 5))
}

export function gasUsed(): u64 {
  return load<u64>(GAS) - gas
}

/** Ends the call. Only the first end counts. */
export function endCall(how: i32): void {
  if (state == RUNNING) state = how
}

export function setMissing(): void {
  endCall(MISSING)
}

/** Returns true while the actions of the call have effect. */
@inline
export function isRunning(): bool {
  return state == RUNNING
}

/** Takes gas. Returns false if it does not suffice, or the call has ended. */
export function charge(amount: u64): bool {
  if (state != RUNNING) return false
  if (amount > gas) {
    gas = 0
    state = OUT_OF_GAS
    return false
  }
  gas -= amount
  return true
}

/** Ends the call because memory is full. No gas that a block has pays for that much. */
export function overflow(): void {
  if (state != RUNNING) return
  gas = 0
  state = OUT_OF_GAS
}

/** Returns the called precompile. */
@inline
export function calledId(): u32 {
  return load<u32>(ID)
}

/** Returns the first four bytes of the input. */
export function selector(): u32 {
  return bswap(load<u32>(INPUT))
}

/** Returns how many bytes of the input fit in memory. */
export function heldSize(): usize {
  return min(usize(load<u32>(SIZE)), INPUT_SIZE)
}

/** Writes the address of a precompile, 20 bytes. */
export function writeId(out: usize, id: u32): void {
  memory.fill(out, 0, 20)
  store<u32>(out, bswap(id), 16)
}

/** Returns true if the protocol itself calls, at the beginning of a block: 0xff...fe. */
export function isSystemCall(): bool {
  for (let i: usize = 0; i < 19; i++) if (load<u8>(CALLER + i) != 0xff) return false
  return load<u8>(CALLER + 19) == 0xfe
}

/** Copies the caller's address. */
export function copyCaller(out: usize): void {
  copyBytes(out, CALLER, 20)
}
