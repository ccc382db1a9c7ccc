import { NONE, REVERTED } from '../../generated/fault'

/**
 * State gas (EIP-8037): what a transaction pays for growth of the state. It is taken from the reservoir, which is the
 * gas above the limit of EIP-7825, and then from the gas of the running frame. Growth that is undone gives it back in
 * the opposite order. Each frame counts both in its budget, and so does the transaction around its first frame.
 */

/** Gas that a budget's frame has spent on state gas. */
const SPILLED: usize = 0
/** State gas that the frame has used. It is negative if the frame undoes growth of its callers. */
const USED: usize = 8
/** State gas that the caller has paid for the frame's account, and gets back if the frame fails. */
const PREPAID: usize = 16
export const BUDGET_SIZE: usize = 24

/** State gas left, whichever frame runs. */
export let reservoir: i64 = 0

export function setReservoir(gas: i64): void {
  reservoir = gas
}

export function resetBudget(budget: usize): void {
  store<i64>(budget, 0, SPILLED)
  store<i64>(budget, 0, USED)
  store<i64>(budget, 0, PREPAID)
}

export function prepay(budget: usize, amount: u64): void {
  store<u64>(budget, amount, PREPAID)
}

export function stateGasUsed(budget: usize): u64 {
  return load<u64>(budget, USED)
}

/** Takes state gas from the reservoir, then from `gas`. Returns the gas left, or -1, without effect, if out of gas. */
export function takeState(budget: usize, gas: i64, cost: u64): i64 {
  const spill = max<i64>(i64(cost) - reservoir, 0)
  if (spill > gas) return -1
  reservoir -= i64(cost) - spill
  store<i64>(budget, load<i64>(budget, SPILLED) + spill, SPILLED)
  store<i64>(budget, load<i64>(budget, USED) + i64(cost), USED)
  return gas - spill
}

/** Gives state gas back, first to the gas that paid for it. Returns the new gas. */
export function giveBackState(budget: usize, gas: i64, amount: u64): i64 {
  const spilled = load<i64>(budget, SPILLED)
  const repaid = min(i64(amount), spilled)
  reservoir += i64(amount) - repaid
  store<i64>(budget, spilled - repaid, SPILLED)
  store<i64>(budget, load<i64>(budget, USED) - i64(amount), USED)
  return gas + repaid
}

/** Gives back all that a failed frame has used. Returns the gas that it returns: none unless it has reverted. */
export function unwindState(budget: usize, error: i32, gas: i64): i64 {
  const spilled = load<i64>(budget, SPILLED)
  reservoir = max<i64>(reservoir + load<i64>(budget, USED) - spilled, 0)
  store<i64>(budget, 0, SPILLED)
  store<i64>(budget, 0, USED)
  return error == REVERTED ? gas + spilled : 0
}

/** Adds an ended frame's budget to its caller's, whose gas is `gas`. Returns the caller's new gas. */
export function mergeState(budget: usize, caller: usize, error: i32, gas: i64): i64 {
  const spilled = load<i64>(caller, SPILLED) + load<i64>(budget, SPILLED)
  // The frame may have given back to the reservoir what its callers had paid with gas
  const repaid = min(reservoir, spilled)
  reservoir -= repaid
  store<i64>(caller, spilled - repaid, SPILLED)
  store<i64>(caller, load<i64>(caller, USED) + load<i64>(budget, USED), USED)
  const left = gas + repaid
  const prepaid = load<u64>(budget, PREPAID)
  return error == NONE || prepaid == 0 ? left : giveBackState(caller, left, prepaid)
}
