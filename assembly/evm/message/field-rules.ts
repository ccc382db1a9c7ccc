import { maxBlobs } from '../../generated/limit'
import * as flag from '../../generated/message-flag'
import * as rejection from '../../generated/rejection'
import { BERLIN, CANCUN, LONDON, PRAGUE } from '../../generated/revision'
import { isLess } from '../../u256/word'
import { BASE_FEE, BLOB_BASE_FEE } from '../context/block'
import * as message from '../context/message-layout'
import { revision } from '../revision'

/** Applies the rules that need only the fields. Returns 0 or a rejection. */
export function checkFields(): u32 {
  const type = load<u32>(message.TYPE)
  const blobs = message.blobCount()
  const isCreation = message.hasMessageFlag(flag.CREATION)
  if (!message.hasMessageFlag(flag.SKIP_FEES)) {
    if (revision >= LONDON) {
      if (isLess(message.MAX_FEE, message.MAX_PRIORITY_FEE)) return rejection.TIP_ABOVE_FEE_CAP
      if (isLess(message.MAX_FEE, BASE_FEE)) return rejection.FEE_CAP_BELOW_BASE_FEE
    }
  }
  if (type == 3) {
    if (isCreation) return rejection.BLOB_CREATION
    if (blobs == 0) return rejection.BLOB_WITHOUT_HASHES
    for (let i: u32 = 0; i < blobs; i++) {
      if (load<u8>(message.blobHash(i)) != 1) return rejection.BLOB_VERSION_WRONG
    }
    if (blobs > maxBlobs(revision)) return rejection.BLOB_COUNT_TOO_HIGH
    if (!message.hasMessageFlag(flag.SKIP_FEES) && isLess(message.MAX_BLOB_FEE, BLOB_BASE_FEE)) {
      return rejection.BLOB_FEE_CAP_TOO_LOW
    }
  }
  if (type == 4) {
    if (isCreation) return rejection.SET_CODE_CREATION
    if (load<u32>(message.AUTHORIZATION_COUNT) == 0) return rejection.AUTHORIZATION_LIST_EMPTY
  }
  return 0
}

/** Returns false if the revision lacks the transaction type: EIP-2930, 1559, 4844, 7702. */
export function isTypeKnown(type: u32): bool {
  if (type == 0) return true
  if (type == 1) return revision >= BERLIN
  if (type == 2) return revision >= LONDON
  if (type == 3) return revision >= CANCUN
  return type == 4 && revision >= PRAGUE
}
