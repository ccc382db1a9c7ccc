import { OUT_OF_GAS } from '../../generated/fault'
import { balanceGas, codeReadGas, externalCodeGas, externalHashGas } from '../../generated/gas'
import { NAMED_ADDRESS } from '../../layout'
import { copyWord, readBytes, saturate, setWord, writeAddress } from '../../u256/word'
import { failWith } from '../machine/ending'
import { pay, setSp, sp } from '../machine/registers'
import { isBerlin, revision } from '../revision'
import { PAUSE } from '../signal'
import { noteAccess } from '../state/access-list'
import {
  BALANCE,
  CODE_HASH,
  isEmpty,
  requireAccount,
  requireCode,
  warmAccount,
} from '../state/account'
import { BYTES, LENGTH } from '../state/code'
import { canLookUp, lookedUp, lookUp } from '../state/lookup'
import { accessGas } from './call'
import { copyPadded, payCopy } from './copy'

/** Charges for touching the account named by the top word. Returns its entry, 0 to pause, or 1 if out of gas. */
function accessTop(legacyGas: u64): usize {
  writeAddress(NAMED_ADDRESS, sp)
  const account = requireAccount(NAMED_ADDRESS)
  if (account == 0 || !canLookUp(account)) return 0
  if (!pay(isBerlin() ? accessGas(account) : legacyGas)) return 1
  if (isBerlin()) warmAccount(account)
  return account
}

/** Records the account of an opcode whose whole gas is paid. */
function record(account: usize): void {
  noteAccess(account)
  lookUp(account)
}

export function balance(): i32 {
  const account = accessTop(balanceGas(revision))
  if (account <= 1) return account == 0 ? PAUSE : failWith(OUT_OF_GAS)
  record(account)
  copyWord(sp, account + BALANCE)
  return lookedUp()
}

/** EXTCODESIZE. */
export function externalCodeSize(): i32 {
  writeAddress(NAMED_ADDRESS, sp)
  const account = requireAccount(NAMED_ADDRESS)
  if (account == 0) return PAUSE
  const code = requireCode(account)
  if (code == 0) return PAUSE
  if (accessTop(externalCodeGas(revision)) == 1 || !pay(codeReadGas(revision))) {
    return failWith(OUT_OF_GAS)
  }
  record(account)
  setWord(sp, load<u32>(code, LENGTH))
  return lookedUp()
}

/** EXTCODEHASH (EIP-1052): zero for an absent or empty account. */
export function externalCodeHash(): i32 {
  const account = accessTop(externalHashGas(revision))
  if (account <= 1) return account == 0 ? PAUSE : failWith(OUT_OF_GAS)
  record(account)
  if (isEmpty(account)) setWord(sp, 0)
  else readBytes(sp, account + CODE_HASH)
  return lookedUp()
}

export function externalCodeCopy(): i32 {
  writeAddress(NAMED_ADDRESS, sp)
  const account = requireAccount(NAMED_ADDRESS)
  if (account == 0) return PAUSE
  const code = requireCode(account)
  if (code == 0) return PAUSE
  if (accessTop(externalCodeGas(revision)) == 1 || !pay(codeReadGas(revision))) {
    return failWith(OUT_OF_GAS)
  }
  const target = saturate(sp - 32)
  const size = saturate(sp - 96)
  if (!payCopy(target, size)) return failWith(OUT_OF_GAS)
  record(account)
  if (size != 0) copyPadded(target, code + BYTES, load<u32>(code, LENGTH), saturate(sp - 64), size)
  setSp(sp - 128)
  return lookedUp()
}
