import { BLOCK, BLOCK_NUMBER, LATEST } from './block-argument.ts'
import { CALL } from './call-argument.ts'
import { ADDRESS_TYPE, HASH, optional, required } from './parameter.ts'

/** Parameters shared by methods of several namespaces. */
export const ADDRESS_PARAM = required('address', ADDRESS_TYPE)
export const BLOCK_PARAM = optional('block', BLOCK, LATEST)
export const BLOCK_HASH = required('blockHash', HASH)
export const NUMBER = required('block', BLOCK_NUMBER)
export const TRANSACTION_HASH = required('transactionHash', HASH)
export const CALL_PARAM = required('call', CALL)
