import type { MethodCall } from '../call/rpc-call.ts'
import { devChainOf, unsupportedArgument } from './driven.ts'

/** Gas is limited to 63 bits. */
const MOST_GAS = 2n ** 63n - 1n

export function setNextBlockBaseFee(call: MethodCall, baseFee: bigint): void {
  devChainOf(call).next.baseFee = baseFee
}

export function setCoinbase(call: MethodCall, coinbase: Uint8Array): void {
  devChainOf(call).next.coinbase = coinbase.slice()
}

export function setPrevRandao(call: MethodCall, prevRandao: Uint8Array): void {
  devChainOf(call).next.prevRandao = prevRandao.slice()
}

export function setBlockGasLimit(call: MethodCall, gasLimit: bigint): boolean {
  if (gasLimit === 0n || gasLimit > MOST_GAS) {
    throw unsupportedArgument(
      `block gas limit ${gasLimit} is out of range`,
      `give 1 to ${MOST_GAS}`,
    )
  }
  devChainOf(call).next.gasLimit = gasLimit
  return true
}

/** Sets the minimum tip of the pool. anvil and Hardhat reject this, because their pools have no such minimum. */
export function setMinGasPrice(call: MethodCall, price: bigint): void {
  devChainOf(call).next.minGasPrice = price
}
