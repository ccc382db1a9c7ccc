import { encodeFunctionData, getContractAddress } from 'viem'
import { formatData, type Hex, parseData } from '../../../../../host/base/hex.ts'
import { openRunStepper } from '../../../../../host/explorer/browser/step/run-stepper.ts'
import type { CallNode, Stepper } from '../../../../../host/explorer/browser/step/stepper.ts'
import type { ContractSet } from '../../../../../host/explorer/page/decode/solc/contract-set.ts'
import { failingCall } from '../../../../../host/explorer/page/decode/words/failure-path.ts'
import { ranCode } from '../../../../../host/explorer/page/sources/ran-code.ts'
import {
  knownCode,
  RunSources,
  type SourcePosition,
} from '../../../../../host/explorer/page/sources/run-sources.ts'
import { stepPosition } from '../../../../../host/explorer/page/sources/step-position.ts'
import { engineInBlock, SENDER, stateWith } from '../../../../support/engine/engine-fixture.ts'
import { call, recordedBundle } from '../../../../support/trace/recorded-bundle.ts'
import type { SolcContract } from '../solc-output.ts'

/** A transaction that is expected to fail. */
export interface FailingTransaction {
  /** Index in the list of sent transactions; undefined for a creation. */
  readonly to: Hex | undefined
  readonly input: Hex
  readonly value?: bigint
  readonly gas?: bigint
}

/** A failed transaction with its source. */
export interface FailedRun {
  readonly stepper: Stepper
  readonly calls: readonly CallNode[]
  readonly sources: RunSources
  /** The line that the page shows for the failure. */
  readonly position: SourcePosition | undefined
}

/** Returns the address of the contract that the sender's transaction creates. */
export function createdBy(nonce: number): Hex {
  return getContractAddress({ from: formatData(SENDER), nonce: BigInt(nonce) }).toLowerCase() as Hex
}

/** Returns a contract's creation code with every library linked to one address. */
export function creationOf(contract: SolcContract, library: Hex): Hex {
  return `0x${contract.evm.bytecode.object.replace(/__\$.{34}\$__/g, library.slice(2))}`
}

/** Returns the calldata of a function by name. */
export function calldata(contract: SolcContract, name: string, args: readonly unknown[]): Hex {
  const abi = contract.abi as never
  return encodeFunctionData({ abi, functionName: name, args } as never)
}

/** Runs transactions that deploy contracts, and one after them that fails. */
export async function failedRun(
  contracts: ContractSet,
  deployments: readonly Hex[],
  failing: FailingTransaction,
): Promise<FailedRun> {
  const state = stateWith(new Uint8Array(0))
  const sent = deployments.map((input, nonce) =>
    call({ to: undefined, data: parseData(input), nonce: BigInt(nonce) }),
  )
  const { to, input, value = 0n, gas = 1_000_000n } = failing
  const target = to === undefined ? undefined : parseData(to)
  const last = { to: target, data: parseData(input), value, gas, nonce: BigInt(sent.length) }
  const bundle = await recordedBundle(await engineInBlock(), state, [...sent, call(last)])
  const stepper = openRunStepper({ bundle, engine: await engineInBlock(), index: sent.length })
  const calls = await stepper.calls()
  const sources = new RunSources(await knownCode(contracts, await ranCode(stepper, calls)))
  const first = failingCall(calls)
  const at = first?.fault?.step ?? (first?.firstStep ?? 0) - 1
  const step = await stepper.step(at)
  return {
    stepper,
    calls,
    sources,
    position: await stepPosition({ stepper, calls, sources }, step),
  }
}
