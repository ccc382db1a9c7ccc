import type { RpcCall } from '../call/rpc-call.ts'
import { driven, unfit } from './driven.ts'

/** Gas is limited to 63 bits. */
const MOST_GAS = 2n ** 63n - 1n

export function setNextBlockBaseFee(call: RpcCall, baseFee: bigint): void {
  driven(call).next.baseFee = baseFee
}

export function setCoinbase(call: RpcCall, coinbase: Uint8Array): void {
  driven(call).next.coinbase = coinbase.slice()
}

export function setPrevRandao(call: RpcCall, prevRandao: Uint8Array): void {
  driven(call).next.prevRandao = prevRandao.slice()
}

export function setBlockGasLimit(call: RpcCall, gasLimit: bigint): boolean {
  if (gasLimit === 0n || gasLimit > MOST_GAS) {
    throw unfit(`block gas limit ${gasLimit} is out of range`, `give 1 to ${MOST_GAS}`)
  }
  driven(call).next.gasLimit = gasLimit
  return true
}

/** Sets the minimum tip of the pool. anvil and Hardhat reject this, because their pools have no such minimum. */
export function setMinGasPrice(call: RpcCall, price: bigint): void {
  driven(call).next.minGasPrice = price
}
