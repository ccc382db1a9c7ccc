import { keccak_256 } from '@noble/hashes/sha3.js'
import { STAKING_ADDRESS } from '../../modules/staking-rows.ts'
import type { SystemCall } from '../block-engine.ts'

const BEGIN = keccak_256(new TextEncoder().encode('beginBlock()')).slice(0, 4)

/**
 * System calls before the first transaction of each block, in replays and simulations too. Staking slashes validators
 * with evidence against them and pays out matured unbondings.
 */
export const BEGIN_BLOCK: readonly SystemCall[] = [{ to: STAKING_ADDRESS, data: BEGIN }]
