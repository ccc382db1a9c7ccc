import { type Abi, encodeFunctionData, getAddress } from 'viem'
import type { Hex } from '../../../host/base/hex.ts'
import { type Dice, makeDice } from '../../fuzz/dice.ts'
import { compile } from '../../support/contracts/solidity.ts'
import { devAccount } from '../../support/node/dev-wallet.ts'

/** A placeholder in parameters for the node's own response to an earlier step, or for one member of it. */
export interface Reference {
  readonly ofStep: number
  readonly member?: string
}

export interface HelperStep {
  readonly method: string
  readonly params: readonly unknown[]
}

/** Requests to one node, in order. */
export interface HelperScenario {
  readonly family: string
  readonly seed: number
  readonly steps: readonly HelperStep[]
  /** True if times come from the clock. They are compared within the seconds by which the two nodes may differ. */
  readonly clock: boolean
}

/** Address of the scenarios' contract. */
export const PROBE: Hex = '0x00000000000000000000000000000000000c0de5'

const COMPILED = compile('Probe.sol').get('Probe')
export const PROBE_ABI: Abi = COMPILED?.abi ?? []
export const PROBE_CREATION: Hex = COMPILED?.bytecode ?? '0x'

/** Later than any clock, so that the scenarios' blocks do not depend on when they run. */
export const SCENARIO_TIME = 2_000_000_000

export const quantity = (value: number | bigint): Hex => `0x${value.toString(16)}`

/** Builds a scenario, with the operations that families use. */
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

  /** Requests a method by one of its names, chosen at random. */
  alias(methods: readonly string[], ...params: readonly unknown[]): Reference {
    return this.ask(this.dice.pick(methods), ...params)
  }

  /** Returns one of the funded accounts, in checksum or lower case. */
  account(index: number = this.dice.below(10)): Hex {
    const { address } = devAccount(index)
    return this.dice.chance(0.5) ? address : (address.toLowerCase() as Hex)
  }

  /** Returns an address without a known key. */
  stranger(): Hex {
    return getAddress(`0x${Buffer.from(this.dice.bytes(20)).toString('hex')}`)
  }

  probe(functionName: string, ...args: readonly unknown[]): { to: Hex; data: Hex } {
    return { to: PROBE, data: encodeFunctionData({ abi: PROBE_ABI, functionName, args }) }
  }

  /**
   * Sends a transaction with all fields given, so that both nodes sign the same bytes. Its price does not depend on
   * the base fee.
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

/** Starts a scenario: an empty chain with one block, and the probe contract on it. */
export function beginScenario(scene: HelperScene, runtimeCode: Hex): void {
  scene.ask('anvil_reset')
  // Once its interval is removed, anvil does not mine by itself.
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
