import { sha256 } from '@noble/hashes/sha2.js'
import { bigintToBytes, EMPTY_BYTES, isZero } from '../../base/bytes.ts'
import { NATIVE_WEI } from '../chain-types/generated/chain-precompile.ts'
import type { Genesis, GenesisAccount } from '../chain-types/genesis.ts'
import type { ModuleRow } from './row-text.ts'
import { downtimeRulesRow } from './staking-downtime.ts'
import {
  delegationKey,
  JAIL,
  lastValue,
  STAKING_ADDRESS,
  TOTAL,
  totalKey,
  validatorRows,
} from './staking-rows.ts'
import { TOKENS_PER_POWER } from './validator-set.ts'

/** Default unbonding time: 21 days, as on Cosmos chains. */
const UNBONDING_SECONDS = 1_814_400

const ONE = 10n ** 18n
/** Initial commission of genesis validators. Their operators may change it. */
const COMMISSION = { rate: ONE / 10n, maxRate: ONE, maxChangeRate: ONE / 100n }
const NANOSECONDS = 1_000_000_000n

const amountValue = (amount: bigint) => lastValue(bigintToBytes(amount, 16))

/**
 * Returns the precompile's account at genesis. Each validator has bonded tokens worth its power, and the account
 * holds all of them. A validator without an operator gets the account of its consensus address, for which no key is
 * known.
 */
export function stakingAccount(genesis: Genesis): GenesisAccount {
  const rows: ModuleRow[] = []
  let bonded = 0n
  for (const [index, { publicKey, power, name, operator }] of genesis.validators.entries()) {
    const id = index + 1
    const consensusAddress = sha256(publicKey).subarray(0, 20)
    const tokens = BigInt(power) * TOKENS_PER_POWER
    const owner = operator ?? consensusAddress
    const commission = { ...COMMISSION, updated: genesis.time / NANOSECONDS }
    const validator = {
      id,
      operator: owner,
      consensusKey: publicKey,
      jail: JAIL.free,
      votingPower: power,
      moniker: name,
    }
    const pool = { tokens, shares: tokens, commission, minSelfDelegation: 1n }
    rows.push(...validatorRows({ ...validator, ...pool }, consensusAddress))
    rows.push({ key: delegationKey(owner, id), value: amountValue(tokens) })
    bonded += tokens
  }
  rows.push(
    { key: totalKey(TOTAL.validators), value: amountValue(BigInt(genesis.validators.length)) },
    { key: totalKey(TOTAL.bonded), value: amountValue(bonded) },
    {
      key: totalKey(TOTAL.unbondingTime),
      value: amountValue(BigInt(genesis.unbondingSeconds ?? UNBONDING_SECONDS)),
    },
  )
  const { downtime } = genesis
  if (downtime !== undefined) {
    rows.push({ key: totalKey(TOTAL.downtime), value: downtimeRulesRow(downtime) })
  }
  return {
    address: STAKING_ADDRESS,
    balance: bonded * NATIVE_WEI,
    nonce: 0n,
    code: EMPTY_BYTES,
    storage: rows
      .filter(({ value }) => !isZero(value))
      .map(({ key, value }) => ({ slot: key, value })),
  }
}
