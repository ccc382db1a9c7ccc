import { formatData } from '../../../base/hex.ts'
import { type AbiArgument, encodeAbiCall } from '../../../evm/chain-types/abi.ts'
import { STAKING_ADDRESS } from '../../../evm/modules/staking-rows.ts'
import { accountNamed, submitTransaction } from '../submit.ts'
import type { TxFlags } from '../tx-flags.ts'

/** Calls a function of the staking precompile with a value in wei. */
export async function callStaking(
  from: string,
  signature: string,
  args: readonly AbiArgument[],
  value: bigint,
  flags: TxFlags,
): Promise<void> {
  const data = encodeAbiCall(signature, args)
  await submitTransaction(from, { to: STAKING_ADDRESS, value, data }, flags)
}

/** Returns the precompile's name of a validator given by address, bech32 address or key name. */
export async function validatorNamed(word: string, flags: TxFlags): Promise<string> {
  if (word.startsWith('seivaloper1')) return word
  return formatData(await accountNamed(word, flags))
}
