import type { RpcCall } from '../call/rpc-call.ts'
import { driven, unfit } from './driven.ts'

/** Gas is counted in 63 bits. */
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

/** The least tip that the pool takes; both anvil and Hardhat refuse it, as they have no pool that asks for one. */
export function setMinGasPrice(call: RpcCall, price: bigint): void {
  driven(call).next.minGasPrice = price
}
