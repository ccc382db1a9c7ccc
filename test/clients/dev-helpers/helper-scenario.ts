import { type Abi, encodeFunctionData, getAddress } from 'viem'
import type { Hex } from '../../../host/base/hex.ts'
import { type Dice, makeDice } from '../../fuzz/dice.ts'
import { compile } from '../../support/contracts/solidity.ts'
import { devAccount } from '../../support/node/dev-wallet.ts'

/** Stands in parameters for what the same node answered to an earlier step: all of it, or the member named. */
export interface Reference {
  readonly ofStep: number
  readonly member?: string
}

export interface HelperStep {
  readonly method: string
  readonly params: readonly unknown[]
}

/** Requests that one node answers in turn. */
export interface HelperScenario {
  readonly family: string
  readonly seed: number
  readonly steps: readonly HelperStep[]
  /** True where times come from the clock: they are compared to the second that two nodes may lie apart. */
  readonly clock: boolean
}

/** Where the scenarios' contract is put. */
export const PROBE: Hex = '0x00000000000000000000000000000000000c0de5'

const COMPILED = compile('Probe.sol').get('Probe')
export const PROBE_ABI: Abi = COMPILED?.abi ?? []
export const PROBE_CREATION: Hex = COMPILED?.bytecode ?? '0x'

/** Later than any clock, so that blocks of the scenarios are the same whenever they are made. */
export const SCENARIO_TIME = 2_000_000_000

export const quantity = (value: number | bigint): Hex => `0x${value.toString(16)}`

/** A scenario in the making, with the words that its family is told in. */
export class HelperScene {
  readonly dice: Dice
  readonly steps: HelperStep[] = []
  clock = false

  constructor(seed: number) {
    this.dice = makeDice(seed)
  }

  ask(method: string, ...params: readonly unknown[]): Reference {
    this.steps.push({ method, params })
    return { ofStep: this.steps.length - 1 }
  }

  /** The same method by one of the names that it goes by. */
  alias(methods: readonly string[], ...params: readonly unknown[]): Reference {
    return this.ask(this.dice.pick(methods), ...params)
  }

  /** One of the funded accounts, in either spelling. */
  account(index: number = this.dice.below(10)): Hex {
    const { address } = devAccount(index)
    return this.dice.chance(0.5) ? address : (address.toLowerCase() as Hex)
  }

  /** An address that nobody has a key for. */
  stranger(): Hex {
    return getAddress(`0x${Buffer.from(this.dice.bytes(20)).toString('hex')}`)
  }

  probe(functionName: string, ...args: readonly unknown[]): { to: Hex; data: Hex } {
    return { to: PROBE, data: encodeFunctionData({ abi: PROBE_ABI, functionName, args }) }
  }

  /**
   * A transaction of an account whose fields are all given: both nodes sign the same bytes. It pays the same whatever the
   * base fee is.
   */
  send(from: Hex, request: object, gas = 500_000, gasPrice = 4_000_000_000n): Reference {
    const price = quantity(gasPrice)
    const fees = { maxFeePerGas: price, maxPriorityFeePerGas: price }
    return this.ask('eth_sendTransaction', { from, gas: quantity(gas), ...fees, ...request })
  }

  head(): void {
    this.ask('eth_blockNumber')
    this.ask('eth_getBlockByNumber', 'latest', this.dice.chance(0.3))
  }
}

/** What each scenario begins with: an empty chain with one block, and the probe on it. */
export function beginScenario(scene: HelperScene, runtimeCode: Hex): void {
  scene.ask('anvil_reset')
  // anvil mines nothing by itself once its interval is taken away.
  scene.ask('evm_setIntervalMining', 0)
  scene.ask('evm_setAutomine', true)
  scene.ask('anvil_autoImpersonateAccount', false)
  scene.ask('evm_setBlockGasLimit', quantity(30_000_000))
  scene.ask('anvil_setBlockTimestampInterval', 1)
  scene.ask('evm_setNextBlockTimestamp', SCENARIO_TIME)
  scene.ask('hardhat_setNextBlockBaseFeePerGas', quantity(1_000_000_000))
  scene.ask('anvil_setCode', PROBE, runtimeCode)
  scene.ask('evm_mine')
}
