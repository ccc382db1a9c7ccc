import { OUT_OF_GAS } from '../../generated/fault'
import { exponentByteGas } from '../../generated/gas'
import * as op from '../../generated/opcode'
import { power } from '../../u256/power'
import { bitLength } from '../../u256/word'
import { failWith } from '../machine/ending'
import { gas, setGas, setSp, sp } from '../machine/registers'
import { revision } from '../revision'
import { NEXT } from '../signal'

/** EXP (EIP-160). */
export function exponentiate(): i32 {
  const bytes = u64((bitLength(sp - 32) + 7) >> 3)
  const left = gas - (op.EXP_GAS + i64(exponentByteGas(revision) * bytes))
  if (left < 0) return failWith(OUT_OF_GAS)
  power(sp - 32, sp, sp - 32)
  setGas(left)
  setSp(sp - 32)
  return NEXT
}
