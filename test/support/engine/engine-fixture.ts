import { bigintToBytes } from '../../../host/base/bytes.ts'
import type { CompiledCodeSettings } from '../../../host/evm/engine/compiled-code.ts'
import { type Engine, loadEngine } from '../../../host/evm/engine/engine.ts'
import type { BlockEnv, TransactionInput } from '../../../host/evm/engine/message.ts'
import type { EngineSettings } from '../../../host/evm/engine/options.ts'
import type { Executed, Outcome } from '../../../host/evm/engine/outcome.ts'
import { readModule } from '../../../host/node/wasm.ts'
import { TestState } from '../chain/test-state.ts'
import { wasmKeccak256 } from '../chain/wasm-keccak.ts'
import { engineLoans } from './engine-loans.ts'
import { EVERY_JUMP } from './every-jump.ts'
import { PLAIN_FIELDS } from './unsigned-sender.ts'

/** Returns a 20-byte address with a small value. */
export function address(low: number): Uint8Array {
  return bigintToBytes(BigInt(low), 20)
}

export const SENDER = address(0x1111)
export const CONTRACT = address(0x2222)
export const COINBASE = address(0xcccc)

export const BLOCK: BlockEnv = {
  revision: 'Osaka',
  chainId: 1n,
  number: 1000,
  timestamp: 1_700_000_000,
  gasLimit: 60_000_000n,
  baseFee: 7n,
  coinbase: COINBASE,
  prevRandao: bigintToBytes(42n, 32),
  blobBaseFee: 1n,
  burnBaseFee: true,
}

/** Returns a call of CONTRACT by SENDER with 10 million gas at the base fee, changed by `fields`. */
export function transaction(fields: Partial<TransactionInput> = {}): TransactionInput {
  return {
    ...PLAIN_FIELDS,
    type: 2,
    from: SENDER,
    to: CONTRACT,
    nonce: 0n,
    gas: 10_000_000n,
    maxFeePerGas: 7n,
    maxPriorityFeePerGas: 0n,
    ...fields,
  }
}

/** Returns a state in which SENDER is rich and CONTRACT has `code`. */
export function stateWith(code: Uint8Array): TestState {
  const state = new TestState(wasmKeccak256, (number) => bigintToBytes(BigInt(number), 32))
  state.setAccount(SENDER, 0n, 10n ** 24n, new Uint8Array(0))
  state.setAccount(CONTRACT, 1n, 5n, code)
  return state
}

// One compiled module for all engines: V8 compiles the bytes again if no earlier module of them is alive.
const source = new WebAssembly.Module(await readModule('engine'))
const pairing = new WebAssembly.Module(await readModule('pairing'))
const chainModules = new WebAssembly.Module(await readModule('modules'))

/** Returns an engine in a new block. Without options it may be one that an earlier test used. */
export async function engineInBlock(
  env: Partial<BlockEnv> = {},
  options?: EngineSettings,
): Promise<Engine> {
  const load = () => loadEngine(source, { pairing, chainModules, ...options })
  const engine = await (options === undefined ? engineLoans.lend(load) : load())
  engine.beginBlock({ ...BLOCK, ...env })
  return engine
}

const compiler = new WebAssembly.Module(await readModule('compile'))

/** Returns an engine in a new block that compiles the code behind every jump. */
export function compilingEngine(
  env: Partial<BlockEnv> = {},
  options: Partial<CompiledCodeSettings> & Pick<EngineSettings, 'fuel'> = {},
): Promise<Engine> {
  const { fuel, ...settings } = options
  return engineInBlock(env, {
    ...(fuel === undefined ? {} : { fuel }),
    compiledCode: { compiler, ...EVERY_JUMP, ...settings },
  })
}

/** Returns the outcome of a transaction that must have been included. */
export function executed(outcome: Outcome): Executed {
  if (outcome.kind !== 'executed') throw new Error(`rejected: ${outcome.code}`)
  return outcome
}
