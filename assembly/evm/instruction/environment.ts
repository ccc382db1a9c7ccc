import { OUT_OF_GAS } from '../../generated/fault'
import * as op from '../../generated/opcode'
import { fitsLimb, readBytes, saturate, setWord } from '../../u256/word'
import { readBlockHash } from '../context/block'
import { blobCount, blobHash } from '../context/message-layout'
import { failWith } from '../machine/ending'
import { gas, setGas, sp } from '../machine/registers'
import { NEXT, PAUSE } from '../signal'

export function blockHash(): i32 {
  if (gas < op.BLOCKHASH_GAS) return failWith(OUT_OF_GAS)
  if (!readBlockHash(sp, saturate(sp))) return PAUSE
  setGas(gas - op.BLOCKHASH_GAS)
  return NEXT
}

/** BLOBHASH (EIP-4844). */
export function readBlobHash(): i32 {
  if (gas < op.BLOBHASH_GAS) return failWith(OUT_OF_GAS)
  setGas(gas - op.BLOBHASH_GAS)
  if (fitsLimb(sp) && load<u64>(sp) < u64(blobCount())) readBytes(sp, blobHash(u32(load<u64>(sp))))
  else setWord(sp, 0)
  return NEXT
}
