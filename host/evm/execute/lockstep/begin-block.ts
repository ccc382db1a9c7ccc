import { keccak_256 } from '@noble/hashes/sha3.js'
import { STAKING_ADDRESS } from '../../modules/staking-rows.ts'
import type { SystemCall } from '../block-engine.ts'

const BEGIN = keccak_256(new TextEncoder().encode('beginBlock()')).slice(0, 4)

/**
 * What the protocol calls before the first transaction of each block, replays and simulations of blocks among them:
 * staking slashes those of whom there is evidence, and pays out the unbondings whose time has come.
 */
export const BEGIN_BLOCK: readonly SystemCall[] = [{ to: STAKING_ADDRESS, data: BEGIN }]
