import { CALL_GAS, NONE, OUT_OF_GAS, WRITE } from '../../generated/fault'
import { SELFDESTRUCT } from '../../generated/frame-kind'
import {
  coldAccountGas,
  newBeneficiaryGas,
  SELFDESTRUCT_REFUND,
  STATE_ACCOUNT,
  selfdestructGas,
  WARM_READ,
} from '../../generated/gas'
import {
  AMSTERDAM,
  CANCUN,
  LONDON,
  SPURIOUS_DRAGON,
  TANGERINE_WHISTLE,
} from '../../generated/revision'
import { NAMED_ADDRESS } from '../../layout'
import { emitEnter, emitExit, isTracing, setStepCost } from '../../trace/trace-buffer'
import { copyWord, isZero, writeAddress } from '../../u256/word'
import { addRefund, BUDGET, depth, IS_STATIC, SELF, top } from '../frame/frame'
import { endWith, failWith } from '../machine/ending'
import { memoryBase } from '../machine/memory'
import { gas, pay, setGas, sp } from '../machine/registers'
import { takeState } from '../machine/state-gas'
import { isBerlin, revision } from '../revision'
import { PAUSE } from '../signal'
import { noteAccess } from '../state/access-list'
import {
  addBalance,
  BALANCE,
  CREATED,
  clearBalance,
  DESTROYED,
  hasFlag,
  isDead,
  requireAccount,
  setFlags,
  subtractBalance,
  warmAccount,
} from '../state/account'
import { canLookUp, lookUp } from '../state/lookup'
import { accessGas } from './call'
import { logTransfer } from './log'

/** SELFDESTRUCT: EIP-150, EIP-161, EIP-2929, EIP-3529, EIP-6780, EIP-8037, EIP-8038, EIP-8246. */
export function selfdestruct(): i32 {
  if (isBerlin() && u64(gas) < selfdestructGas(revision)) return failWith(OUT_OF_GAS)
  if (load<u32>(top, IS_STATIC) != 0) return failWith(OUT_OF_GAS, WRITE)
  const self: usize = load<u32>(top, SELF)
  writeAddress(NAMED_ADDRESS, sp)
  const beneficiary = requireAccount(NAMED_ADDRESS)
  if (beneficiary == 0 || !canLookUp(beneficiary)) return PAUSE
  let cost = selfdestructGas(revision)
  const hasBalance = !isZero(self + BALANCE)
  if (isBerlin()) {
    if (accessGas(beneficiary) != WARM_READ) cost += coldAccountGas(revision)
    warmAccount(beneficiary)
  }
  if (u64(gas) >= cost) noteAccess(beneficiary)
  else if (revision >= AMSTERDAM) return failWith(OUT_OF_GAS, CALL_GAS)
  const isCreating =
    revision >= TANGERINE_WHISTLE &&
    (hasBalance || revision < SPURIOUS_DRAGON) &&
    isDead(beneficiary)
  if (isCreating) cost += newBeneficiaryGas(revision)
  if (!pay(cost)) return failWith(OUT_OF_GAS)
  if (isCreating && revision >= AMSTERDAM) {
    const left = takeState(top + BUDGET, gas, STATE_ACCOUNT)
    if (left < 0) return failWith(OUT_OF_GAS)
    setGas(left)
    // As in geth, the cost of a step has no state gas
    setStepCost(cost)
  }
  lookUp(beneficiary)
  logTransfer(self, beneficiary, self + BALANCE)
  if (isTracing) {
    emitEnter(SELFDESTRUCT, depth + 1, self, beneficiary, self + BALANCE, 0, 0, 0)
    emitExit(depth + 1, 0, NONE, 0, 0, 0)
  }
  if (revision < LONDON && !hasFlag(self, DESTROYED)) addRefund(i64(SELFDESTRUCT_REFUND))
  copyWord(NAMED_ADDRESS, self + BALANCE)
  if (revision >= AMSTERDAM) {
    if (hasFlag(self, CREATED)) setFlags(self, DESTROYED)
    if (beneficiary != self) {
      subtractBalance(self, NAMED_ADDRESS)
      addBalance(beneficiary, NAMED_ADDRESS)
    }
  } else if (revision < CANCUN || hasFlag(self, CREATED)) {
    addBalance(beneficiary, NAMED_ADDRESS)
    setFlags(self, DESTROYED)
    clearBalance(self)
  } else if (beneficiary != self) {
    subtractBalance(self, NAMED_ADDRESS)
    addBalance(beneficiary, NAMED_ADDRESS)
  }
  return endWith(NONE, memoryBase, 0)
}
