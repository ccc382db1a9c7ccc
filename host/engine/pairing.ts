import { LockstepError } from '../base/error.ts'
import { formatData } from '../base/hex.ts'
import {
  addG1,
  addG2,
  mapToG1,
  mapToG2,
  multiplyG1,
  multiplyG2,
  pairBls12381,
} from './bls12-381.ts'
import { evaluatePoint } from './point-evaluation.ts'

type Precompile = (input: Uint8Array) => Uint8Array | undefined

/** By the last byte of the address; the other nineteen are zero. */
const PRECOMPILES: ReadonlyMap<number, Precompile> = new Map([
  [0x0a, evaluatePoint],
  [0x0b, addG1],
  [0x0c, multiplyG1],
  [0x0d, addG2],
  [0x0e, multiplyG2],
  [0x0f, pairBls12381],
  [0x10, mapToG1],
  [0x11, mapToG2],
])

/**
 * Runs a precompile that the engine leaves to the host: those for which `isHostPrecompile` of
 * assembly/precompile holds. The engine has charged the gas.
 *
 * @param address 20 bytes
 * @returns the output, or undefined when the call fails and takes all its gas
 * @throws {LockstepError} ENGINE_FAULT for an address that is none of them
 */
export function callPairingPrecompile(
  address: Uint8Array,
  input: Uint8Array,
): Uint8Array | undefined {
  const run = PRECOMPILES.get(address[19] ?? 0)
  if (run === undefined || address.subarray(0, 19).some((byte) => byte !== 0)) {
    throw new LockstepError('ENGINE_FAULT', `no pairing precompile at ${formatData(address)}`)
  }
  return run(input)
}
