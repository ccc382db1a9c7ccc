import { BUDGET, GAS, TRANSACTION } from '../frame/frame'
import { takeState } from '../machine/state-gas'

/**
 * Charges the transaction before its first frame: EIP-2780 prices what depends on the state. Returns false, without
 * effect, if out of gas.
 */
export function payRuntime(cost: u64, state: u64): bool {
  const gas = load<i64>(TRANSACTION, GAS) - i64(cost)
  if (gas < 0) return false
  const left = takeState(TRANSACTION + BUDGET, gas, state)
  if (left < 0) return false
  store<i64>(TRANSACTION, left, GAS)
  return true
}
