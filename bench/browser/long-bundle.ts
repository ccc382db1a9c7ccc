import { keccak_256 } from '@noble/hashes/sha3.js'
import { concatBytes } from '../../host/base/bytes.ts'
import { parseData } from '../../host/base/hex.ts'
import { transaction } from '../../test/support/chain/fake-chain.ts'
import { TestState } from '../../test/support/chain/test-state.ts'
import { assemble } from '../../test/support/engine/bytecode.ts'
import { address, BLOCK, SENDER } from '../../test/support/engine/engine-fixture.ts'
import { type Recorder, vectorBundle } from '../../test/support/trace/vector-bundle.ts'

const CALLER = address(0xca)
const LOOP = address(0x100b)
/** Calls that the transaction makes. */
const CALLS = 10
/** Steps of one loop iteration, and of a call besides its iterations. */
const TURN_STEPS = 14
const CALL_STEPS = 20

/** Error("the loop has ended") */
const REASON = parseData(
  `0x08c379a0${'20'.padStart(64, '0')}${'12'.padStart(64, '0')}${'746865206c6f6f702068617320656e646564'.padEnd(64, '0')}`,
)

/** Counts from the number in its calldata down to zero, with the count in memory and at the end in slot 0. */
function loopCode(): Uint8Array {
  const head = assemble(0, 'CALLDATALOAD')
  const turn = assemble(
    ...['JUMPDEST', 1, 'SWAP1', 'SUB', 'DUP1', 'DUP1', 31, 'AND', 5, 'SHL', 'MSTORE'],
    ...['DUP1', head.length, 'JUMPI', 0, 'SLOAD', 1, 'ADD', 0, 'SSTORE', 'STOP'],
  )
  return concatBytes([head, turn])
}

/** Calls the loop repeatedly, then fails with a reason. */
function callerCode(turns: number): Uint8Array {
  const calls = Array.from({ length: CALLS }, () =>
    assemble(turns, 0, 'MSTORE', 0, 0, 32, 0, 0, BigInt(0x100b), 'GAS', 'CALL', 'POP'),
  )
  const body = concatBytes(calls)
  const end = (at: number) => assemble(REASON.length, at, 0, 'CODECOPY', REASON.length, 0, 'REVERT')
  const at = body.length + end(body.length + 20).length
  return concatBytes([body, end(at), REASON])
}

/** Returns a bundle of a transaction that takes about `steps` steps in ten calls and then fails. */
export function longBundle(recorder: Recorder, steps: number): Promise<string> {
  const turns = Math.ceil((steps / CALLS - CALL_STEPS) / TURN_STEPS)
  const state = new TestState((bytes) => keccak_256(bytes))
  state.setAccount(SENDER, 0n, 10n ** 24n, new Uint8Array())
  state.setAccount(CALLER, 1n, 0n, callerCode(turns))
  state.setAccount(LOOP, 1n, 0n, loopCode())
  const gas = BigInt(steps) * 40n
  // Osaka limits the gas of a transaction
  const env = { ...BLOCK, revision: 'Prague' as const, gasLimit: gas, baseFee: 7n }
  const { chainId } = env
  const fields = { chainId, to: CALLER, gas, maxFeePerGas: 7n, maxPriorityFeePerGas: 0n }
  return vectorBundle(recorder, env, state, { ...transaction(fields), from: SENDER })
}
